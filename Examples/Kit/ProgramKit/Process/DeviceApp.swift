//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import DeviceKit
public import GodwitJSON

/// An app on a device. A browser shows the screens of the app, which ``DeviceServer`` serves.
///
/// The app also works while no browser is open, because the browser only shows the state of the app and sends the
/// user's actions.
public protocol DeviceApp: Sendable {
    /// The name of the program.
    var name: String { get }

    /// The maximum length of a file that the browser sends, in bytes. The file is in memory. Default: 0, which means
    /// that the browser cannot send files.
    var fileBytesMax: Int { get }

    /// The path at which the browser sends files. Default: `/photos`.
    var filePath: String { get }

    /// The files of the page: `device/index.html` at `/`, and each `device/NAME` at `/page/NAME`.
    var files: EmbeddedFiles { get }

    /// Returns the state of the screens.
    func state() async -> JSONValue

    /// Returns a stream with an element after each change of the state. Elements that are not read yet may be combined.
    func changes() -> AsyncStream<Void>

    /// Performs an action of the user.
    ///
    /// - Returns: The members of the answer, without `ok`.
    func perform(_ action: String, _ arguments: JSONObject) async throws(DeviceError) -> JSONObject

    /// Stores a file that the user chose or took. Default: refuses the file.
    ///
    /// - Returns: The members of the answer, without `ok`. When this method returns, the file is stored durably.
    func receive(_ file: [UInt8], _ query: [String: String]) async throws(DeviceError) -> JSONObject

    /// Handles the return of the browser from a login at a provider, `GET /login`. The request contains no cookie,
    /// because another site has sent the browser to this path. Therefore the query must contain a secret of the login,
    /// which proves that the login began on this device. Default: `nil`.
    ///
    /// - Returns: A page that leads to `/`; `nil` if the query does not belong to a login.
    func returned(_ query: [String: String]) async -> DeviceContent?

    /// Returns data of the app by its path, such as `/gallery`; `nil` if the path does not exist.
    func content(_ path: String, _ query: [String: String]) async throws(DeviceError) -> DeviceContent?
}

extension DeviceApp {
    /// No files.
    public var fileBytesMax: Int { 0 }

    /// `/photos`.
    public var filePath: String { "/photos" }

    /// Refuses the file.
    public func receive(_ file: [UInt8], _ query: [String: String]) async throws(DeviceError) -> JSONObject {
        throw DeviceError(.notFound, "The device takes no files.")
    }

    /// `nil`.
    public func returned(_ query: [String: String]) async -> DeviceContent? { nil }
}

/// The body of a response with its type.
public struct DeviceContent: Sendable {
    /// The media type.
    public let type: String
    /// The bytes.
    public let bytes: [UInt8]
    /// Whether the browser may cache the content, because its path always has the same bytes.
    public let isPermanent: Bool

    /// Creates a content.
    public init(type: String, bytes: [UInt8], isPermanent: Bool = false) {
        (self.type, self.bytes, self.isPermanent) = (type, bytes, isPermanent)
    }

    /// Creates a content from a file of the page.
    public init(_ file: EmbeddedFiles.File) { self.init(type: file.contentType, bytes: file.bytes) }

    /// Creates a content of JSON.
    public init(_ value: JSONValue) { self.init(type: "application/json", bytes: value.jsonBytes()) }
}
