//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// A source that reads the sentences of a receiver (NMEA 0183) from a file, a device or standard input. See
/// ``NMEAReader``.
///
/// The settings of a serial device are not changed. Set it up first: `stty -F /dev/ttyUSB0 4800 raw -echo`.
public final class NMEASource: LocationSource {
    private let path: String
    private let skipped = Mutex(0)

    /// Creates a source. It does not open the input yet.
    ///
    /// - Parameter path: The path of a file or a device; `-` is standard input.
    public init(path: String) { self.path = path }

    /// The number of lines, or of parts of lines, so far that were not valid sentences or contained impossible values.
    public var skippedCount: Int { skipped.withLock { $0 } }

    /// See ``LocationSource/fixes()``. It throws ``DeviceError`` with code ``DeviceError/Code/input`` when the input
    /// cannot be read.
    public func fixes() -> Fixes { Fixes(source: self) }

    /// The fixes of a receiver.
    public struct Fixes: AsyncSequence, Sendable {
        /// A fix.
        public typealias Element = Fix
        /// The type of the error that is thrown when the input cannot be read.
        public typealias Failure = any Error

        fileprivate let source: NMEASource

        /// Starts to read.
        public func makeAsyncIterator() -> Iterator { Iterator(source: source) }

        /// Reads line by line.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let source: NMEASource
            private var input: LineInput?
            private var reader = NMEAReader()
            /// The fixes of the last line that were not returned yet, the last one first. A line is short, so they are
            /// few.
            private var pending: [Fix] = []

            fileprivate init(source: NMEASource) { self.source = source }

            /// Returns the next fix; `nil` at the end.
            public mutating func next() async throws -> Fix? {
                let input = try self.input ?? LineInput(source.path)
                self.input = input
                if let fix = pending.popLast() { return fix }
                while let line = try await input.next() {
                    pending = reader.take(line).reversed()
                    source.skipped.withLock { [count = reader.skippedCount] in $0 = count }
                    if let fix = pending.popLast() { return fix }
                }
                return reader.end()
            }
        }
    }
}
