//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import Foundation
import GodwitBackend
import GodwitClientNIO
import GodwitHost
import GodwitObjects
import ProgramKit

/// The `bluepic serve` command: runs the server.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve BluePic: a Godwit server with the feed, the uploads and the pages.",
        discussion: ServeOptions.discussion + """

            The pictures are objects of the data directory. BLUEPIC_STORAGE names a service instead: \
            s3+https://ACCESS:SECRET@HOST/PATH?region=REGION or \
            swift+https://USER:PASSWORD@HOST/v3?project=NAME&domain=NAME; without it, an object storage in VCAP_SERVICES. \
            Without --port and GODWIT_PORT, VCAP_APP_PORT is the port. BLUEPIC_LOGINS is a JSON file with the members \
            providers, url and redirects of an application's declaration.
            """)

    @OptionGroup var options: ServeOptions

    @Option(help: "The seconds for which an uploaded picture waits for its post.")
    var uploadLifetime = 86_400.0

    @Option(help: "The seconds between two searches for pictures without a post.")
    var sweepInterval = 600.0

    func validate() throws {
        guard uploadLifetime >= 0 else { throw ValidationError("--upload-lifetime must not be negative.") }
        guard sweepInterval >= 0.1 else { throw ValidationError("--sweep-interval must be at least 0.1.") }
    }

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        // `VCAP_APP_PORT` is used only if neither the option for the port nor `GODWIT_PORT` is given.
        if environment["GODWIT_PORT"] == nil, let port = environment["VCAP_APP_PORT"] { setenv("GODWIT_PORT", port, 1) }
        let service = try ServeCommand.storage(environment)?.store(transport: AsyncHTTPTransport())
        let application = try Application.bluePic(declaration: try LoginDeclaration.members("BLUEPIC_LOGINS"))
        let (sweepSeconds, uploadSecondsMax) = (sweepInterval, uploadLifetime)
        try await options.serve(applications: [application]) { _, objects in
            [
                BluePicModule(
                    pictures: try service ?? objects.store(of: BluePicModule.account), sweepSeconds: sweepSeconds,
                    uploadSecondsMax: uploadSecondsMax)
            ]
        }
    }

    private static func storage(_ environment: [String: String]) throws -> BoundStorage? {
        if let url = environment["BLUEPIC_STORAGE"], !url.isEmpty {
            guard let storage = BoundStorage(url: url) else {
                // The message does not repeat the value, because the value contains a password.
                throw ValidationError(
                    "BLUEPIC_STORAGE must be a URL such as s3+https://ACCESS:SECRET@HOST or "
                        + "swift+https://USER:PASSWORD@HOST/v3.")
            }
            return storage
        }
        return environment["VCAP_SERVICES"].flatMap { BoundStorage(vcapServices: $0) }
    }
}
