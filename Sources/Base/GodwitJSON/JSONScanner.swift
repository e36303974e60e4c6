//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Reads JSON texts by the grammar of RFC 8259, completely and without recursion.
///
/// All consumers use the same scan, which reports the values of the text to a sink. Validation ignores the values.
/// ``JSONTape`` stores their offsets, and a ``JSONValue`` is built from them.
///
/// The scanner is stricter than the grammar. It also refuses these texts:
///
/// - bytes that are not UTF-8, a byte order mark, and escapes of half a surrogate pair
/// - a number that is written with a fraction or an exponent, if it is beyond the finite doubles
/// - texts over the limits
///
/// Integers may have any length.
///
/// ```swift
/// try JSONScanner.validate(Array(#"{"name": "Limosa"}"#.utf8))
/// ```
public enum JSONScanner {
    /// Checks that bytes are one JSON text.
    ///
    /// - Parameters:
    ///   - bytes: The text.
    ///   - limits: The maximum depth and length, and whether the scan stops when the task is cancelled. A text is never
    ///     longer than ``JSONLimits/bytesCeiling``.
    /// - Throws: ``JSONError`` with the offset of the first error; with code ``JSONError/Code/cancelled`` when the task
    ///   was cancelled and the limits require that the scan stops.
    /// - Complexity: O(*n*); nothing is allocated for texts less than 65 levels deep.
    public static func validate(_ bytes: [UInt8], limits: JSONLimits = .default) throws(JSONError) {
        try bytes.withUnsafeBufferPointer { (buffer) throws(JSONError) in
            try validate(UnsafeRawBufferPointer(buffer), limits: limits)
        }
    }

    /// Checks that bytes are one JSON text.
    ///
    /// - Parameters:
    ///   - bytes: The text. It is not retained.
    ///   - limits: The maximum depth and length, and whether the scan stops when the task is cancelled. A text is never
    ///     longer than ``JSONLimits/bytesCeiling``.
    /// - Throws: ``JSONError`` with the offset of the first error; with code ``JSONError/Code/cancelled`` when the task
    ///   was cancelled and the limits require that the scan stops.
    public static func validate(
        _ bytes: UnsafeRawBufferPointer,
        limits: JSONLimits = .default
    ) throws(JSONError) {
        var sink = JSONNullSink()
        try scan(bytes, limits: limits, into: &sink)
    }

    /// Scans a text and reports its values to a sink.
    ///
    /// - Parameters:
    ///   - bytes: The text. It is not retained.
    ///   - limits: The maximum depth and length, and whether the scan stops when the task is cancelled. A text is never
    ///     longer than ``JSONLimits/bytesCeiling``.
    ///   - sink: The sink that is called for each value.
    /// - Throws: ``JSONError`` with the offset of the first error; with code ``JSONError/Code/cancelled`` when the task
    ///   was cancelled and the limits require that the scan stops.
    package static func scan<Sink: JSONSink>(
        _ bytes: UnsafeRawBufferPointer,
        limits: JSONLimits,
        into sink: inout Sink
    ) throws(JSONError) {
        let bytesMax = min(limits.bytesMax, JSONLimits.bytesCeiling)
        guard bytes.count <= bytesMax else {
            throw JSONError(.tooLarge, at: bytesMax, "expected at most \(bytesMax) bytes")
        }
        guard let base = bytes.baseAddress, bytes.count > 0 else {
            throw JSONError(.unexpectedEnd, at: 0, "expected a value")
        }
        var pass = JSONScanPass<Sink>(
            text: JSONText(base: base, count: bytes.count),
            limits: limits,
            sink: sink
        )
        defer { sink = pass.sink }
        try pass.run()
    }
}
