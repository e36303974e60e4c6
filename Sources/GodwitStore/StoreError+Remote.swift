//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What only a database elsewhere can fail with.
extension StoreError.Code {
    /// The server cannot be reached, or the connection was cut. Whether a write was done is then unknown.
    public static let unreachable = StoreError.Code(description: "unreachable")
    /// The server does not have this part of CouchDB's API.
    public static let notSupported = StoreError.Code(description: "notSupported")
    /// The server calls the request wrong, for example a selector.
    public static let invalidRequest = StoreError.Code(description: "invalidRequest")
    /// The URL of the database cannot be used.
    public static let invalidURL = StoreError.Code(description: "invalidURL")
    /// The answer is none of CouchDB's, or not what was announced.
    public static let badAnswer = StoreError.Code(description: "badAnswer")
    /// The answer is longer than this side takes at once.
    public static let answerTooLarge = StoreError.Code(description: "answerTooLarge")
    /// The server failed.
    public static let serverFailed = StoreError.Code(description: "serverFailed")
    /// The task was cancelled.
    public static let cancelled = StoreError.Code(description: "cancelled")
}
