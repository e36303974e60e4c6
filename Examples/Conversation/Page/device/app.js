// Starts the page of a device.
import { showQuestions } from './screens-questions.js';
import { showSettings } from './screens-settings.js';
import { startPage } from './shell.js';

startPage({ '': showQuestions, settings: showSettings }, () => {});
