// Texts that the pages of all devices have, for translators. Functions insert names and numbers.

export const shared = {
  cancel: 'Cancel',
  back: 'Back',
  close: 'Close',
  errors: {
    noAnswer: 'The device’s process did not respond. Check that it is running.',
    status: status => `The device’s process responded with status ${status}.`,
    unreadable: 'The response of the device’s process could not be read.',
  },
  connection: {
    starting: 'Connecting to the device’s process…',
    lost: 'The device’s process does not run. Start it again, and open the address that it prints.',
    refusedTitle: 'This page is not connected',
    refused: 'Open the address that the device printed when it started.',
    refusedMore: 'The address contains a key that only you can see. After a restart of the device there is a new one.',
    back: 'The device’s process responds again.',
  },
};

/** The texts of the screens before the main one. */
export const sharedStart = {
  lockedTitle: 'Welcome back',
  unlock: 'Unlock',
  unlocking: 'Unlocking…',
  user: 'Name',
  password: 'Password',
  signIn: 'Sign in',
  signingIn: 'Signing in…',
  registerTitle: 'Create an account',
  register: 'Create account',
  toRegister: 'No account yet? Create one',
  toSignIn: 'You have an account? Sign in',
  or: 'or',
  signInWith: login => `Sign in with ${login}`,
  challengeTitle: login => `Sign in with ${login}`,
  answer: 'Continue',
  empty: title => `Enter this: ${title}.`,
  noLogins: 'The server offers no way to sign in.',
};

/** The texts for a passphrase. */
export const sharedPassphrase = {
  passphrase: 'Passphrase',
  repeat: 'Repeat the passphrase',
  different: 'The two passphrases are different.',
  choose: 'Use this passphrase',
};
