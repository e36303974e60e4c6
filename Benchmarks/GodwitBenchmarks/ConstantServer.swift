//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix

/// The server's transport alone: answers each request with the same bytes. Its result in `wrk` is the upper bound for
/// `godwit serve`.
enum ConstantServer {
    static func run(port: Int) async throws {
        var logger = Logger(label: "constant")
        logger.logLevel = .error
        let body = ByteBuffer(string: #"{"_id":"x","_rev":"1-00000000000000000000000000000000","n":1}"#)
        let head = HTTPResponse(
            status: .ok, headerFields: [.contentType: "application/json", .contentLength: "\(body.readableBytes)"])
        let server = Server(
            childChannelSetup: HTTP1Channel { _, writer, _ in
                try await writer.write(response: head, body: ResponseBody(byteBuffer: body))
            },
            configuration: ServerConfiguration(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { _ in print("listening on http://127.0.0.1:\(port)") },
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger)
        try await server.run()
    }
}
