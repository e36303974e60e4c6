// Objects: the accounts of the object storage, their containers and objects. `#/x/objects/ACCOUNT/CONTAINER?folder=NAME/`.
import { showAccount } from '../parts/objects-containers.js';
import { showAccounts } from '../parts/objects-accounts.js';
import { showContainer } from '../parts/objects-container.js';

export async function show(host, route, signal) {
  const [account, container] = route.parts;
  if (account === undefined) await showAccounts(host, signal);
  else if (container === undefined) await showAccount(host, account, signal);
  else await showContainer(host, { account, container, folder: route.query.get('folder') || '' }, signal);
}
