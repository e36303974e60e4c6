//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitText
import TestKit
import Testing

@Suite("The composed form")
struct ComposedFormTests {
    @Test(
        "Names in composed form, and others",
        arguments: [
            ("anna", true), ("zo\u{eb}", true), ("zoe\u{308}", false), ("q\u{323}\u{307}", true),
            ("q\u{307}\u{323}", false),
            ("\u{212b}", false), ("\u{c5}", true), ("\u{1e9b}\u{323}", true), ("\u{ac01}", true),
            ("\u{ac00}\u{11a8}", false),
            ("\u{1100}\u{1161}", false), ("\u{958}", false), ("\u{915}\u{93c}", true), ("\u{2adc}", false), ("", true),
            ("a" + String(repeating: "\u{301}", count: 100_000), false),
        ])
    func known(text: String, isComposed: Bool) {
        #expect(ComposedForm.holds(text) == isComposed)
    }

    @Test(
        "Texts of characters that compose or combine are judged as by ICU",
        .enabled(if: ICUComposition.shared != nil, "this machine has no ICU"))
    func random() throws {
        let reference = try #require(ICUComposition.shared)
        // ICU may have a newer Unicode than the table.
        let known = (UInt32(0)...0x1FFFF).compactMap { Unicode.Scalar($0) }
            .filter { ($0.properties.age?.major ?? .max) <= 15 }
        let marks = known.filter { $0.properties.canonicalCombiningClass.rawValue > 0 }
        let others = known.filter {
            reference.isDecomposable($0) || (0x1100...0x11FF).contains($0.value) || $0.value < 0x250
        }
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<(TestScale.isLong ? 1_000_000 : 100_000) {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 1...5, using: &generator) {
                text.append(generator.pick(Bool.random(using: &generator) ? marks : others))
            }
            #expect(ComposedForm.holds(String(text)) == reference.holds(text), "\(Array(text))")
        }
    }
}

/// ICU's test of the composed form. The library is loaded when a test needs it.
private struct ICUComposition: @unchecked Sendable {
    static let shared = (72..<100).lazy.compactMap(ICUComposition.init).first

    private typealias Instance = @convention(c) (UnsafeMutablePointer<Int32>) -> OpaquePointer?
    private typealias IsNormalized =
        @convention(c) (OpaquePointer, UnsafePointer<UInt16>, Int32, UnsafeMutablePointer<Int32>) -> Int8
    private typealias Decomposition =
        @convention(c) (OpaquePointer, Int32, UnsafeMutablePointer<UInt16>, Int32, UnsafeMutablePointer<Int32>) -> Int32

    // ICU's instance is immutable.
    private let composition: OpaquePointer
    private let isNormalized: IsNormalized
    private let decomposition: Decomposition

    private init?(number: Int) {
        guard let library = ICULibrary("uc", version: number),
            let instance = library.function("unorm2_getNFCInstance", Instance.self),
            let isNormalized = library.function("unorm2_isNormalized", IsNormalized.self),
            let decomposition = library.function("unorm2_getDecomposition", Decomposition.self)
        else { return nil }
        var status: Int32 = 0
        guard let composition = instance(&status), status <= 0 else { return nil }
        self.composition = composition
        self.isNormalized = isNormalized
        self.decomposition = decomposition
    }

    func holds(_ text: String.UnicodeScalarView) -> Bool {
        var status: Int32 = 0
        let units = Array(String(text).utf16)
        return isNormalized(composition, units, Int32(units.count), &status) != 0
    }

    func isDecomposable(_ scalar: Unicode.Scalar) -> Bool {
        var status: Int32 = 0
        var units = [UInt16](repeating: 0, count: 32)
        return decomposition(composition, Int32(bitPattern: scalar.value), &units, 32, &status) >= 0
    }
}
