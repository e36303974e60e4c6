//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(CEspeak)
    import CEspeak

    /// Speaks texts with espeak-ng. The library has global state. Therefore a process can use only one voice at a time.
    struct EspeakEngine {
        /// The rate of the samples.
        let rate: Int

        /// The samples of a text.
        private final class Samples {
            var values: [Int16] = []
            let countMax: Int

            init(countMax: Int) { self.countMax = countMax }
        }

        /// Loads a voice; `nil` if it does not exist.
        init?(voice: String) {
            let rate = espeak_Initialize(AUDIO_OUTPUT_SYNCHRONOUS, 0, nil, 0)
            guard rate > 0, espeak_SetVoiceByName(voice) == EE_OK else { return nil }
            self.rate = Int(rate)
            espeak_SetSynthCallback { samples, count, events in
                guard let data = events?.pointee.user_data else { return 0 }
                let collected = Unmanaged<Samples>.fromOpaque(data).takeUnretainedValue()
                if let samples, count > 0 {
                    collected.values += UnsafeBufferPointer(start: samples, count: Int(count))
                }
                // The result 0 continues the speech. Any other result ends it.
                return collected.values.count < collected.countMax ? 0 : 1
            }
        }

        /// Returns the samples of a text.
        ///
        /// - Parameter secondsMax: The duration after which the speech ends.
        func samples(of text: String, secondsMax: Double) -> [Int16] {
            let collected = Samples(countMax: Int(secondsMax * Double(rate)))
            withExtendedLifetime(collected) {
                let data = Unmanaged.passUnretained(collected).toOpaque()
                _ = espeak_Synth(text, text.utf8.count + 1, 0, POS_CHARACTER, 0, UInt32(espeakCHARS_UTF8), nil, data)
                _ = espeak_Synchronize()
            }
            return collected.values
        }
    }
#endif
