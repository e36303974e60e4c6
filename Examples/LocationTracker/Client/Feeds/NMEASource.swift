//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// Reads a receiver: the sentences of NMEA 0183 in a file, from a device or from standard input; see ``NMEAReader``.
///
/// A serial device is read as it is set up: `stty -F /dev/ttyUSB0 4800 raw -echo` beforehand.
public final class NMEASource: LocationSource {
    private let path: String
    private let skipped = Mutex(0)

    /// Creates a source. Nothing is opened yet.
    ///
    /// - Parameter path: The path of a file or a device; `-` is standard input.
    public init(path: String) { self.path = path }

    /// Lines so far that were no sentences or said what cannot be.
    public var skippedCount: Int { skipped.withLock { $0 } }

    /// See ``LocationSource/fixes()``. Throws ``TrackerError`` with code ``TrackerError/Code/input`` when it cannot be read.
    public func fixes() -> Fixes { Fixes(source: self) }

    /// The readings of a receiver.
    public struct Fixes: AsyncSequence, Sendable {
        /// A reading.
        public typealias Element = Fix
        /// What cannot be read.
        public typealias Failure = any Error

        fileprivate let source: NMEASource

        /// Begins to read.
        public func makeAsyncIterator() -> Iterator { Iterator(source: source) }

        /// Reads line by line.
        public struct Iterator: AsyncIteratorProtocol {
            fileprivate let source: NMEASource
            private var input: LineInput?
            private var reader = NMEAReader()

            fileprivate init(source: NMEASource) { self.source = source }

            /// The next reading.
            public mutating func next() async throws -> Fix? {
                let input = try self.input ?? LineInput(source.path)
                self.input = input
                while let line = try await input.next() {
                    let fix = reader.take(line)
                    source.skipped.withLock { [count = reader.skippedCount] in $0 = count }
                    if let fix { return fix }
                }
                return reader.end()
            }
        }
    }
}
