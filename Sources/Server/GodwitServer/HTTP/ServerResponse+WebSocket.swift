//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import GodwitBase
import GodwitFoundation
import HTTPTypes
import NIOCore

extension ServerResponse {
    /// The text that a server adds to the client's key (RFC 6455, section 1.3).
    private static let handshakeID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    /// Changes the connection to a WebSocket. After the change, each ``flush()`` sends the buffered bytes as one text
    /// message, and ``finish()`` closes the socket. Write a long message with a single call of ``write(_:)``. If
    /// several calls write the message, the response's buffer may become full between them, and its bytes are then sent
    /// as a separate message.
    ///
    /// The module must announce its use of WebSockets with ``ServerModule/usesWebSockets``. If it does not, the
    /// connection does not change its protocol.
    ///
    /// - Parameter inbox: The inbox that receives the messages of the client; `nil` to ignore the messages.
    /// - Throws: ``HTTPFailure`` with status 426 when the request is not a WebSocket handshake.
    public func beginWebSocket(_ request: ServerRequest, receiving inbox: WebSocketInbox? = nil) async throws {
        let options = (request.header(.connection) ?? "").lowercasedASCII.commaSeparatedItems
        guard !isHead, request.header(.upgrade)?.lowercased() == "websocket", options.contains("upgrade"),
            request.header(.webSocketVersion) == "13", let key = request.header(.webSocketKey),
            Data(base64Encoded: key)?.count == 16
        else {
            var failure = HTTPFailure(
                .upgradeRequired, "upgrade_required", "This address is a WebSocket. Connect to it with ws:// or wss://."
            )
            failure.headers[.upgrade] = "websocket"
            throw failure
        }
        if let inbox {
            let channel = request.channel
            try await channel.eventLoop.submit {
                try channel.pipeline.syncOperations.handler(type: WebSocketSwitch.self).inbox = inbox
            }
            .get()
        }
        let digest = Insecure.SHA1.hash(data: Data((key + Self.handshakeID).utf8))
        try await beginSwitching([
            .upgrade: "websocket", .connection: "Upgrade", .webSocketAccept: Data(digest).base64EncodedString(),
        ])
    }
}

extension HTTPField.Name {
    fileprivate static let webSocketVersion = HTTPField.Name("Sec-WebSocket-Version")!
    fileprivate static let webSocketKey = HTTPField.Name("Sec-WebSocket-Key")!
    fileprivate static let webSocketAccept = HTTPField.Name("Sec-WebSocket-Accept")!
}
