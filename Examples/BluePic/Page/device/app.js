// Starts the page of BluePic.
import { showFeed } from './screens-feed.js';
import { showPhoto } from './screens-photo.js';
import { showPost } from './screens-post.js';
import { showProfile } from './screens-profile.js';
import { startPage } from './shell.js';

startPage({ '': showFeed, post: showPost, profile: showProfile, photo: showPhoto }, () => {});
