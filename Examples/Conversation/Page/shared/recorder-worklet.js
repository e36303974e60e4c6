// Runs on the audio thread: makes 16 000 samples in a second of 16 bits from the microphone, and measures its level.
const RATE = 16000;
const PIECE = 2048;

class Recorder extends AudioWorkletProcessor {
  constructor() {
    super();
    this.step = sampleRate / RATE;
    this.position = 0;
    this.sum = 0;
    this.count = 0;
    this.piece = new Int16Array(PIECE);
    this.filled = 0;
    this.peak = 0;
  }

  process([input]) {
    const samples = input[0];
    if (!samples) return true;
    for (const sample of samples) {
      this.peak = Math.max(this.peak, Math.abs(sample));
      this.sum += sample;
      this.count++;
      this.position++;
      if (this.position < this.step) continue;
      // The mean of the samples is a simple filter against frequencies that the new rate cannot have.
      this.position -= this.step;
      this.piece[this.filled++] = Math.round(Math.max(-1, Math.min(1, this.sum / this.count)) * 32767);
      this.sum = 0;
      this.count = 0;
      if (this.filled === PIECE) this.send();
    }
    return true;
  }

  send() {
    const piece = this.piece.slice(0, this.filled);
    this.port.postMessage({ samples: piece, level: this.peak }, [piece.buffer]);
    this.filled = 0;
    this.peak = 0;
  }
}

registerProcessor('recorder', Recorder);
