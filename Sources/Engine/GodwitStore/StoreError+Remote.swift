//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Codes for errors of remote databases. ``cancelled`` and ``invalidRequest`` also occur in local datastores.
extension StoreError.Code {
    /// The server cannot be reached, or the connection was lost. The caller cannot know whether a write was done.
    public static let unreachable = StoreError.Code(description: "unreachable")
    /// The server does not implement this part of CouchDB's API.
    public static let notSupported = StoreError.Code(description: "notSupported")
    /// The request is invalid. For example, its selector is invalid, or a document or an attachment from a client has
    /// an invalid form.
    public static let invalidRequest = StoreError.Code(description: "invalidRequest")
    /// The URL of the database cannot be used.
    public static let invalidURL = StoreError.Code(description: "invalidURL")
    /// The response is not a valid response of CouchDB, or its form differs from the announced form.
    public static let badAnswer = StoreError.Code(description: "badAnswer")
    /// The response is longer than the client's limit.
    public static let answerTooLarge = StoreError.Code(description: "answerTooLarge")
    /// The server failed.
    public static let serverFailed = StoreError.Code(description: "serverFailed")
    /// The task was cancelled.
    public static let cancelled = StoreError.Code(description: "cancelled")
}
