// Starts the page of Bluelist.
import { showAccount } from './screens-account.js';
import { showList } from './screens-list.js';
import { startPage } from './shell.js';

startPage({ '': showList, account: showAccount }, () => {});
