//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A part of an account that is stored as a local document of the database of accounts, which is never replicated.
protocol LocalState: Sendable, Equatable {
    /// Parses a local document. An invalid or missing document gives an empty state.
    init(_ body: [UInt8]?)

    /// The body of the local document.
    var bytes: [UInt8] { get }
}
