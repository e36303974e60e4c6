//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A part of an account that is stored in the database of accounts, as a local document. Local documents are never
/// replicated.
protocol LocalState: Sendable, Equatable {
    /// Parses a local document. For an invalid or missing document, the state is empty.
    init(_ body: [UInt8]?)

    /// The body of the local document.
    var bytes: [UInt8] { get }
}
