//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON

/// Measures scanning, parsing, writing and canonicalising JSON texts, and compares with Foundation's
/// `JSONSerialization`.
///
/// The rounds of all methods are interleaved, so that other load on the machine affects them equally. The result is the
/// median round.
enum JSONBenchmarks {
    private static let rounds = 9
    /// The minimum number of bytes of a round, so that small files can be measured.
    private static let bytesPerRoundMin = 1 << 20

    /// Measures each file and prints MB/s, with the ratios to Foundation.
    ///
    /// - Parameter files: The paths of JSON files.
    static func run(files: [String]) {
        let header = Work.allCases.map { $0.rawValue.padded(to: 12) }.joined()
        print("file".padded(to: 28) + "bytes".padded(to: 10) + header)
        var ratios: [Work: [Double]] = [:]
        for file in files {
            guard let data = FileManager.default.contents(atPath: file) else {
                print("\(file): cannot be read")
                continue
            }
            let rates = measure(Array(data))
            let name = file.split(separator: "/").last.map(String.init) ?? file
            let columns = Work.allCases.map { work in format(rates[work], foundation: rates[.foundation]) }
            print(name.padded(to: 28) + String(data.count).padded(to: 10) + columns.joined())
            for work in Work.allCases {
                ratios[work, default: []].append((rates[work] ?? 0) / (rates[.foundation] ?? .nan))
            }
        }
        let medians = Work.allCases.map { "×\(rounded(median(ratios[$0] ?? [])))".padded(to: 12) }
        print("median ratio to Foundation".padded(to: 38) + medians.joined())
        measureSmallDocument()
    }

    /// The measured operations.
    private enum Work: String, CaseIterable {
        case foundation, scan, tape, parse, write, canonical
    }

    private static func measure(_ bytes: [UInt8]) -> [Work: Double] {
        guard let tape = try? JSONTape(scanning: bytes), let value = try? tape.value(0) else { return [:] }
        let data = Data(bytes)
        let repeats = max(1, bytesPerRoundMin / max(1, bytes.count))
        var rates: [Work: [Double]] = [:]
        for _ in 0..<rounds {
            for work in Work.allCases {
                let seconds = time {
                    for _ in 0..<repeats { perform(work, bytes: bytes, data: data, tape: tape, value: value) }
                }
                rates[work, default: []].append(Double(bytes.count * repeats) / seconds / 1e6)
            }
        }
        return rates.mapValues(median)
    }

    private static func perform(_ work: Work, bytes: [UInt8], data: Data, tape: JSONTape, value: JSONValue) {
        switch work {
        case .foundation: keep(try? JSONSerialization.jsonObject(with: data, options: [.fragmentsAllowed]))
        case .scan: keep(try? JSONScanner.validate(bytes))
        case .tape: keep(try? JSONTape(scanning: bytes))
        case .parse: keep(try? JSONValue(parsing: bytes))
        case .write: keep(value.jsonBytes())
        case .canonical:
            var output: [UInt8] = []
            tape.appendCanonical(0, droppingUnderscoredMembers: true, to: &output)
            keep(output)
        }
    }

    /// Measures the JSON operations of one write: a document of 300 bytes is scanned, searched for duplicates and made
    /// canonical.
    private static func measureSmallDocument() {
        let bytes = Array(smallDocument.utf8)
        guard let tape = try? JSONTape(scanning: bytes) else { return }
        let repeats = 20_000
        func report(_ name: String, _ body: () -> Void) {
            let seconds = (0..<rounds).map { _ in time { for _ in 0..<repeats { body() } } }
            print("\(bytes.count) bytes, \(name): \(Int(median(seconds) / Double(repeats) * 1e9)) ns")
        }
        report("scan") { keep(try? JSONScanner.validate(bytes)) }
        report("tape") { keep(try? JSONTape(scanning: bytes)) }
        report("duplicates") { keep(tape.hasDuplicateMembers(in: 0)) }
        report("canonical") {
            var output: [UInt8] = []
            tape.appendCanonical(0, droppingUnderscoredMembers: true, to: &output)
            keep(output)
        }
        report("parse") { keep(try? JSONValue(parsing: bytes)) }
    }

    private static let smallDocument = #"""
        {"_id":"place-00017","type":"place","name":"Rancho San Antonio","geometry":{"type":"Point","coordinates":\#
        [-122.0854231,37.3325034]},"properties":{"kind":"park","visits":1042,"rating":4.5,"open":true,"tags":["hike",\#
        "view","dogs"],"updated":"2024-05-17T08:15:30Z"},"owner":"limosa@example.org","note":null,"v":3}
        """#

    private static func time(_ body: () -> Void) -> Double {
        let duration = ContinuousClock().measure(body)
        return duration / .seconds(1)
    }

    /// Prevents the optimizer from removing work whose result is not used.
    @inline(never)
    private static func keep(_ value: some Any) {}

    private static func median(_ values: [Double]) -> Double {
        guard !values.isEmpty else { return .nan }
        let sorted = values.sorted()
        return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }

    private static func format(_ rate: Double?, foundation: Double?) -> String {
        guard let rate, let foundation else { return "failed".padded(to: 12) }
        return "\(Int(rate)) ×\(rounded(rate / foundation))".padded(to: 12)
    }

    private static func rounded(_ value: Double) -> String {
        String(((value * 10).rounded() / 10).description)
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(1, width - count))
    }
}
