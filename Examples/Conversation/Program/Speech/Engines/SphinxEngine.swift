//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(CPocketSphinx)
    import CPocketSphinx

    /// Recognizes English with pocketsphinx.
    ///
    /// A pause ends a sentence. While a sentence is spoken, the effect of the channel (for example the microphone) on
    /// the sound is estimated from the beginning of the sentence. After the sentence, the effect is estimated from the
    /// complete sentence. This estimate is more accurate, so the sentence is recognized again.
    struct SphinxEngine: ~Copyable {
        /// The rate of the samples.
        static let rate = 16_000
        /// The number of samples between two checks of the state of the recognition.
        private static let pieceCount = 2_048
        /// The maximum duration of a sentence, in samples. It is limited because the memory of a recognition grows with
        /// the duration.
        private static let sentenceCountMax = 20 * rate

        private static let modelFolder = "/usr/share/pocketsphinx/model/en-us"

        private let decoder: OpaquePointer
        /// The estimate of the channel before any audio. Each session begins with this estimate, so that no session
        /// depends on an earlier session.
        private let channel: [Float]
        private var isSpeaking = false
        /// The samples since the end of the last sentence.
        private var sentence: [Int16] = []
        private var lastText = ""

        /// Loads the models.
        ///
        /// - Parameter folder: The directory of a corpus's language model, `corpus.lm.bin` and `corpus.dict`; `nil` for
        ///   the general model of English.
        /// - Returns: `nil` if the models cannot be read.
        init?(languageModel folder: String?) {
            // The beams were chosen by tests with the questions of the small corpus, see Benchmarks/recognition.py.
            let beams = folder == nil ? [] : ["-wip", "0.1", "-beam", "1e-60", "-pbeam", "1e-60", "-wbeam", "1e-40"]
            let options = [
                "-logfn", "/dev/null",
                "-hmm", "\(Self.modelFolder)/en-us",
                "-lm", folder.map { "\($0)/corpus.lm.bin" } ?? "\(Self.modelFolder)/en-us.lm.bin",
                "-dict", folder.map { "\($0)/corpus.dict" } ?? "\(Self.modelFolder)/cmudict-en-us.dict",
            ]
            var words = (["pocketsphinx"] + options + beams).map { strdup($0) } + [nil]
            defer { words.forEach { free($0) } }
            guard let settings = cmd_ln_parse_r(nil, ps_args(), Int32(words.count - 1), &words, 1) else { return nil }
            defer { cmd_ln_free_r(settings) }
            guard let decoder = ps_init(settings) else { return nil }
            self.decoder = decoder
            channel = Self.means(decoder) { means, count in
                [Float](unsafeUninitializedCapacity: count) { buffer, filled in
                    if let start = buffer.baseAddress { cmn_live_get(means, start) }
                    filled = count
                }
            }
        }

        private static func means<Result>(
            _ decoder: OpaquePointer, _ body: (UnsafeMutablePointer<cmn_t>, Int) -> Result
        ) -> Result {
            let means = ps_get_feat(decoder).pointee.cmn_struct!
            return body(means, Int(means.pointee.veclen))
        }

        deinit { ps_free(decoder) }

        /// Begins a stream of audio.
        mutating func begin() {
            ps_start_stream(decoder)
            Self.means(decoder) { means, _ in cmn_live_set(means, channel) }
            beginSentence()
        }

        private mutating func beginSentence() {
            (isSpeaking, lastText) = (false, "")
            sentence.removeAll(keepingCapacity: true)
            ps_start_utt(decoder)
        }

        /// Adds samples, and returns new hypotheses.
        mutating func add(_ samples: [Int16]) -> [Hypothesis] {
            var found: [Hypothesis] = []
            var start = 0
            while start < samples.count {
                let count = min(Self.pieceCount, samples.count - start)
                samples.withUnsafeBufferPointer { buffer in
                    _ = ps_process_raw(decoder, buffer.baseAddress! + start, count, 0, 0)
                }
                sentence += samples[start..<start + count]
                start += count
                let (wasSpeaking, isInSpeech) = (isSpeaking, ps_get_in_speech(decoder) != 0)
                isSpeaking = isInSpeech
                if wasSpeaking && !isInSpeech || sentence.count >= Self.sentenceCountMax {
                    if let last = endSentence() { found.append(last) }
                    beginSentence()
                }
            }
            if isSpeaking, let text = hypothesis(), text != lastText {
                lastText = text
                found.append(Hypothesis(transcript: text, confidence: 0, isFinal: false))
            }
            return found
        }

        /// Ends the stream, and returns the last hypothesis.
        mutating func finish() -> [Hypothesis] { endSentence().map { [$0] } ?? [] }

        private mutating func endSentence() -> Hypothesis? {
            ps_end_utt(decoder)
            // If no words were recognized, the samples are noise. In this case, the second recognition is not needed.
            guard hypothesis() != nil else { return nil }
            ps_start_utt(decoder)
            _ = ps_process_raw(decoder, sentence, sentence.count, 0, 1)
            ps_end_utt(decoder)
            guard let text = hypothesis() else { return nil }
            return Hypothesis(transcript: text, confidence: confidence(), isFinal: true)
        }

        private func hypothesis() -> String? {
            var score: Int32 = 0
            guard let text = ps_get_hyp(decoder, &score), text.pointee != 0 else { return nil }
            return String(cString: text)
        }

        /// Returns the mean of the posterior probabilities of the words.
        private func confidence() -> Double {
            let logarithms = ps_get_logmath(decoder)
            var (sum, count) = (0.0, 0)
            var segment = ps_seg_iter(decoder)
            while let current = segment {
                if let word = ps_seg_word(current), word.pointee != UInt8(ascii: "<"), word.pointee != UInt8(ascii: "[")
                {
                    sum += logmath_exp(logarithms, ps_seg_prob(current, nil, nil, nil))
                    count += 1
                }
                segment = ps_seg_next(current)
            }
            return count == 0 ? 0 : min(1, sum / Double(count))
        }
    }
#endif
