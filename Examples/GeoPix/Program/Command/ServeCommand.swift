//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import Foundation
import GodwitBackend
import GodwitHost
import ProgramKit

/// The `geopix serve` command: runs the server.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve GeoPix: a Godwit server with the map, the list and the photos.",
        discussion: ServeOptions.discussion + """

            GEOPIX_STUDIO, NAME:NUMBER of each member, separated by commas, adds the login `studio`. Without --port and \
            GODWIT_PORT, VCAP_APP_PORT is the port. The database geopix of a CouchDB or Cloudant in VCAP_SERVICES is \
            pulled continuously. GEOPIX_LOGINS is a JSON file with the members providers, url and redirects of an \
            application's declaration.
            """)

    @OptionGroup var options: ServeOptions

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        var realms: [String: any LoginRealm] = [:]
        if let members = environment["GEOPIX_STUDIO"], !members.isEmpty {
            guard let studio = StudioRealm(members) else {
                throw ValidationError("GEOPIX_STUDIO must be NAME:NUMBER of each member, separated by commas.")
            }
            realms[StudioRealm.name] = studio
        }
        let service = environment["VCAP_SERVICES"].flatMap { BoundService(vcapServices: $0) }
        // `VCAP_APP_PORT` is used only if neither the option for the port nor `GODWIT_PORT` is given.
        if environment["GODWIT_PORT"] == nil, let port = environment["VCAP_APP_PORT"] { setenv("GODWIT_PORT", port, 1) }
        let application = try Application.geoPix(
            realms: realms.keys.sorted(), declaration: try LoginDeclaration.members("GEOPIX_LOGINS"))
        try await options.serve(applications: [application], realms: realms) {
            [try GeoPixModule(backend: $0, service: service)]
        }
    }
}
