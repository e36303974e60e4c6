//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A part of an account that is stored in the database of accounts, as a local document. Local documents are never
/// replicated.
protocol LocalState: Sendable, Equatable {
    /// Parses a local document. An invalid or missing document gives an empty state.
    init(_ body: [UInt8]?)

    /// The body of the local document.
    var bytes: [UInt8] { get }
}
