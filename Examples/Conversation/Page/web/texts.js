// All texts of the page, for translators.
export const texts = {
  listen: 'Ask by voice',
  stop: 'Stop listening',
  quiet: 'Stop speaking',
  waiting: 'Waiting for the recognition…',
  listening: 'Listening… Ask your question.',
  asking: 'Looking for answers…',
  unheard: 'Sorry, I didn’t catch that. Try again?',
  unreachable: 'The server cannot be reached. Try again later.',
  noMicrophone: 'The microphone cannot be used. Allow it for this page, or type the question.',
  hear: 'Hear this answer',
};
