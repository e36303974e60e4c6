//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import Conversation

@Suite("Audio")
struct AudioTests {
    private static let samples = (0..<2_400).map { Int16(($0 % 100) * 300 - 15_000) }

    @Test("A WAVE file is read as it was written, from each number of its first bytes on")
    func waveFile() throws {
        let file = WaveFile.file(of: Self.samples, rate: 24_000)
        #expect(file.count == 44 + Self.samples.count * 2)
        for count in 0..<44 {
            let found = try WaveFile.samples(in: Array(file[..<count]))
            #expect(found == nil, "\(count)")
        }
        let found = try #require(try WaveFile.samples(in: file))
        #expect(found.start == 44)
        #expect(found.form == (try AudioForm(rate: 24_000)))
        var reader = SampleReader(found.form)
        #expect(reader.samples(of: Array(file[44...])) == Self.samples)
    }

    @Test("No change of a byte of the head leads to a fault")
    func damagedWaveFile() {
        let file = WaveFile.file(of: [1, 2, 3], rate: 8_000)
        for position in 0..<44 {
            for byte in [0, 1, 127, 128, 255] as [UInt8] {
                var damaged = file
                damaged[position] = byte
                guard let found = try? WaveFile.samples(in: damaged) else { continue }
                #expect(found.start <= damaged.count)
            }
        }
    }

    @Test("Samples may arrive in pieces of any length", arguments: [1, 3, 7, 1_000])
    func pieces(length: Int) throws {
        let file = Array(WaveFile.file(of: Self.samples, rate: 24_000)[44...])
        var (reader, found) = (SampleReader(try AudioForm(rate: 24_000)), [Int16]())
        for start in stride(from: 0, to: file.count, by: length) {
            found += reader.samples(of: Array(file[start..<min(start + length, file.count)]))
        }
        #expect(found == Self.samples)
    }

    @Test("The mean of two channels, and 8 bits without a sign") func forms() throws {
        var stereo = SampleReader(try AudioForm(rate: 8_000, channels: 2))
        #expect(stereo.samples(of: [0, 1, 0, 3]) == [512])
        var narrow = SampleReader(try AudioForm(rate: 8_000, bits: 8))
        #expect(narrow.samples(of: [0, 128, 255]) == [-32_768, 0, 32_512])
    }

    @Test("Media types") func mediaTypes() throws {
        #expect(try AudioForm(mediaType: "audio/l16; rate=44100") == AudioForm(rate: 44_100))
        #expect(try AudioForm(mediaType: "Audio/L16;channels=2") == AudioForm(rate: 48_000, channels: 2))
        #expect(try AudioForm(mediaType: "audio/mpeg") == nil)
        for type in ["audio/l16; rate=0", "audio/l16; rate=-5", "audio/l16; channels=0", "audio/l16; rate=999999999"] {
            #expect(throws: SpeechError.self) { try AudioForm(mediaType: type) }
        }
    }

    @Test("Another rate has the same duration", arguments: [4_000, 8_000, 22_050, 44_100, 192_000])
    func resampling(rate: Int) {
        let samples = [Int16](repeating: 1_000, count: rate)
        let resampler = Resampler(from: rate, to: 16_000)
        var count = 0
        for start in stride(from: 0, to: samples.count, by: 1_023) {
            count += resampler.add(Array(samples[start..<min(start + 1_023, samples.count)])).count
        }
        count += resampler.finish().count
        #expect(abs(count - 16_000) <= 1)
    }

    @Test("An Opus file has the duration of its samples", arguments: [0, 1, 479, 480, 24_000, 100_001])
    func opusFile(count: Int) throws {
        let file = try #require(OpusFile.file(of: [Int16](repeating: 0, count: count)))
        #expect(file.starts(with: Array("OggS".utf8)))
        // The position in the last page counts samples at a rate of 48 000 per second. It includes the skipped samples.
        let start = try #require(
            file.indices.last { $0 + 27 <= file.count && file[$0..<$0 + 4].elementsEqual("OggS".utf8) })
        let position = file[start + 6..<start + 14].reversed().reduce(0) { $0 << 8 | Int($1) }
        let skipped = Int(file[28 + 10]) | Int(file[28 + 11]) << 8
        #expect(position == skipped + count * 2)
    }

    @Test("Messages and roles are read as they were written") func messages() throws {
        let form = try AudioForm(rate: 8_000, channels: 2)
        guard case .begin(form)? = RecognitionMessage(RecognitionMessage.begin(form).bytes),
            case .audio([1, 2])? = RecognitionMessage(RecognitionMessage.audio([1, 2]).bytes),
            case .finish? = RecognitionMessage(RecognitionMessage.finish.bytes)
        else {
            Issue.record("a message differs")
            return
        }
        #expect(RecognitionMessage([9]) == nil)
        for work in [SpeechRole.Work.speaking("en-us"), .recognition(nil), .recognition("/a b")] {
            let role = SpeechRole(work, SpeechLimits())
            #expect(SpeechRole(arguments: role.arguments) == role)
        }
    }
}
