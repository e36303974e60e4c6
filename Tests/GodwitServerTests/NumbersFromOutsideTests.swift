//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitSync
import HTTPTypes
import Testing

@testable import GodwitServer

@Suite("Numbers from outside never end the process")
struct NumbersFromOutsideTests {
    @Test("The counts of a replication are added without overflow")
    func counts() {
        let stored = ReplicationCounts(couchDBObject: ["docs_read": .integer(.max), "docs_written": .integer(.min)])
        let sum = stored + stored
        #expect((sum.documentsRead, sum.documentsWritten) == (.max, .min))
    }

    @Test("A function may set a limited number of headers")
    func headers() throws {
        func response(_ count: Int) throws -> FunctionResponse {
            let fields = JSONObject((0..<count).map { ("X-\($0)", JSONValue.string("x")) })
            return try FunctionResponse(["headers": .object(fields), "body": ""])
        }
        #expect(try response(ServerLimits.functionHeadersMax).headers.count > ServerLimits.functionHeadersMax)
        #expect(throws: HTTPFailure.self) { try response(ServerLimits.functionHeadersMax + 1) }
    }

    @Test("A function's status outside of HTTP is refused", arguments: [Int64.min, -1, 0, 199, 600, 1_000, .max])
    func status(_ code: Int64) {
        #expect(throws: HTTPFailure.self) { try FunctionResponse(["code": .integer(code), "body": ""]) }
    }
}
