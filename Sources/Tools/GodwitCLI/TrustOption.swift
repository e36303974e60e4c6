//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import AsyncHTTPClient
import GodwitClientNIO
import GodwitHost
import GodwitTransport

/// The option for certificate authorities that a command trusts for TLS.
struct TrustOption: ParsableArguments {
    @Option(
        help: """
            A PEM file with certificates of authorities that are trusted in addition to the system's. GODWIT_CA_FILE \
            may name it.
            """)
    var caFile: String?

    /// Returns the transport for replications and for databases of servers.
    func transport() throws -> AsyncHTTPTransport {
        try file.map { path in try mappingErrors { try AsyncHTTPTransport(authorities: path) } } ?? AsyncHTTPTransport()
    }

    /// Returns a client. If a server sends no data for more than `silenceSecondsMax` seconds, the request fails.
    func client(silenceSecondsMax: Int) throws -> HTTPClient {
        try mappingErrors { try AsyncHTTPTransport.client(authorities: file, silenceSecondsMax: silenceSecondsMax) }
    }

    private var file: String? { caFile ?? Settings().string("caFile") }

    private func mappingErrors<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let failure as TransportFailure {
            throw CommandFailure(message: failure.description)
        }
    }
}
