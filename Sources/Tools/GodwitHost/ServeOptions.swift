//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import ArgumentParser
public import GodwitBackend
import GodwitBase
import GodwitConsole
import GodwitJSON
public import GodwitObjects
public import GodwitServer
import GodwitStore
import GodwitTransport
import GodwitViews

/// The options of a server, which are also those of `godwit serve`. Each option has an environment variable.
public struct ServeOptions: ParsableArguments {
    @Option(help: "The directory of the databases. (default: godwit-data)")
    var data: String?

    @Option(help: "The address to listen on. (default: 127.0.0.1, this machine only)")
    var bind: String?

    @Option(
        parsing: .unconditional, help: "The port to listen on; 0 selects a free one. (default: 5984)",
        transform: ServerRun.port)
    var port: Int?

    @Option(help: "NAME:PASSWORD of an administrator for this run, stored only in memory.")
    var admin: String?

    @Option(help: "A PEM file with the server's certificate. It enables HTTPS, with HTTP/2.")
    var tlsCertificate: String?

    @Option(help: "A PEM file with the certificate's private key.")
    var tlsKey: String?

    @Option(help: "An MBTiles file. The map draws raster tiles above the world's base map.")
    var tiles: String?

    @Option(
        help: ArgumentHelp(
            "A directory for backups of all databases, one a day by default. It should be on another disk.",
            valueName: "directory"))
    var backups: String?

    @Option(
        help: ArgumentHelp(
            "A JSON file that declares an application with separate accounts; may be used several times.",
            valueName: "file"))
    var application: [String] = []

    @Flag(help: "Serve object storage: S3 at /_s3, OpenStack Swift at /v1 and its identity service at /v3.")
    var objects = false

    @Option(
        parsing: .unconditional,
        help: "A further port with S3 at the root and nothing else, for clients that need this; 0 selects a free one.",
        transform: ServerRun.port)
    var s3Port: Int?

    @Option(
        help: ArgumentHelp(
            "The host name of the S3 port. A bucket is then at BUCKET.NAME, too.", valueName: "name"))
    var s3Host: String?

    @Flag(
        name: .customLong("s3-signature-v2"), inversion: .prefixedNo,
        help: "Accept presigned URLs of S3 with the older signature version 2. (default: yes)")
    var s3SignatureV2: Bool?

    @Flag(
        help: "Start without background work: no replications of _replicator, no tasks of modules, no index builds.")
    var safe = false

    @Option(
        help: ArgumentHelp(
            "The domain of administrators' passkeys, which are available at localhost by default.", valueName: "domain")
    )
    var passkeyDomain: String?

    @Flag(
        inversion: .prefixedNo,
        help: "Serve the web console at /_utils. (default: if the address is this machine's only)")
    var console: Bool?

    @OptionGroup var logs: LogOptions

    @OptionGroup var encryption: KeyOptions

    /// Creates the declarations of the options. ArgumentParser sets their values when it parses a command line. If the
    /// command line does not contain an option, ``serve(applications:realms:modules:onListening:)`` uses the environment variable
    /// of the option. If this variable is also missing, the method uses the default.
    public init() {}

    /// The directory of the databases.
    public var directory: String { data ?? Settings().string("data") ?? "godwit-data" }

    /// A paragraph about the environment variables. The help text of a command contains it.
    public static let discussion = """
        Each flag has an environment variable: GODWIT_DATA, GODWIT_BIND, GODWIT_PORT, GODWIT_ADMIN, \
        GODWIT_TLS_CERTIFICATE, GODWIT_TLS_KEY, GODWIT_TILES, GODWIT_BACKUPS, GODWIT_ENCRYPTION_KEY_FILE, GODWIT_APPLICATION (files \
        separated by colons), GODWIT_OBJECTS (true or false), GODWIT_S3_PORT, GODWIT_S3_HOST, \
        GODWIT_S3_SIGNATURE_V2 (true or false), GODWIT_SAFE (true or false), GODWIT_PASSKEY_DOMAIN, GODWIT_CONSOLE (true or false), GODWIT_LOG_LEVEL, GODWIT_LOG_FORMAT, GODWIT_LOG_FILE, GODWIT_ACCESS_LOG. \
        Without --admin the first start creates an administrator and prints the password once.
        """

    /// Serves until SIGINT or SIGTERM.
    ///
    /// When the server accepts requests, it prints its URL in one line on standard output. If there is no
    /// administrator, the server first creates one and prints the password on standard error. If other machines can
    /// reach the address and TLS is off, the server prints a warning on standard error.
    ///
    /// - Parameters:
    ///   - applications: Applications that the server has in addition to the applications of the option
    ///     `--application`.
    ///   - realms: The ways to log in that the program itself defines. The key of each way is the name of a provider of
    ///     the kind `custom`.
    ///   - modules: A closure that creates additional modules of the server. The modules may call the back end.
    ///   - onListening: A closure that is called with the port when the server accepts requests. If it throws, the
    ///     server stops. Default: does nothing.
    /// - Throws: Errors of `modules`, of `onListening` and of the running server, and an error in these cases:
    ///   - An option or its environment variable is invalid.
    ///   - A file that an option names cannot be read.
    ///   - A log or the databases cannot be opened.
    ///   - The server cannot listen on the address.
    public func serve(
        applications: [Application] = [], realms: [String: any LoginRealm] = [:],
        modules: (Backend) throws -> [any ServerModule] = { _ in [] },
        onListening: @escaping @Sendable (_ port: Int) async throws -> Void = { _ in }
    ) async throws {
        try await serve(
            applications, realms, needsObjects: false, modules: { backend, _ in try modules(backend) },
            onListening: onListening)
    }

    /// Serves until SIGINT or SIGTERM, with modules that store objects in the data directory.
    ///
    /// The function behaves as ``serve(applications:realms:modules:onListening:)``. The modules can store objects even without the
    /// option `--objects`: this option adds only the routes of object storage.
    ///
    /// - Parameter objectModules: A closure that creates additional modules of the server. The modules may call the
    ///   back end and use the objects.
    public func serve(
        applications: [Application] = [], realms: [String: any LoginRealm] = [:],
        objectModules: (Backend, ObjectsModule) throws -> [any ServerModule]
    ) async throws {
        try await serve(
            applications, realms, needsObjects: true,
            modules: { backend, objects in
                guard let objects else { return [] }
                return try objectModules(backend, objects)
            }, onListening: { _ in })
    }

    private func serve(
        _ applications: [Application], _ realms: [String: any LoginRealm], needsObjects: Bool,
        modules: (Backend, ObjectsModule?) throws -> [any ServerModule],
        onListening: @escaping @Sendable (_ port: Int) async throws -> Void
    ) async throws {
        guard FileLimit.current >= FileLimit.serverMin else {
            throw CommandFailure(
                message: "This process may have \(FileLimit.current) files open. A server needs at least "
                    + "\(FileLimit.serverMin): raise the limit with ulimit -n, or with LimitNOFILE of the service.")
        }
        let settings = Settings()
        let logs = try logs.open()
        let port = try port ?? settings.value("port", ServerRun.port) ?? 5984
        let temporary = try temporaryAdministrator(settings)
        let certificate = try certificate(settings)
        let tiles = try ServerRun.tileFile(tiles ?? settings.string("tiles"))
        let key = try await encryption.key()
        let applicationsOfFiles = try declaredApplications(settings)
        let host = bind ?? settings.string("bind") ?? "127.0.0.1"
        let portAdvice = "Choose another with --port, or a free one with --port 0."
        let address = GodwitServer.Address(host: host, port: port)
        try ServerRun.checkAddress(address, beforeMaking: directory, portAdvice: portAdvice)
        let hasObjects = try objects || settings.value("objects", ServeOptions.truth) ?? false
        var s3 = try s3Options(settings, main: address, hasObjects: hasObjects)
        let manager: DatastoreManager
        do {
            manager = try DatastoreManager(directory: directory, key: key, scripts: commandScripts)
        } catch {
            throw CommandFailure(error)
        }
        let administrators = try await Administrators.kept(by: manager, temporary: temporary)
        let backend = Backend(
            manager: manager, applications: applications + applicationsOfFiles, realms: realms,
            passkeyDomain: passkeyDomain ?? settings.string("passkey-domain"))
        let (s3Ports, s3Continuation) = AsyncStream.makeStream(of: Int.self)
        s3.onListening = { s3Continuation.yield($0) }
        let hasS3Port = s3.address != nil
        let objects = try objectsModule(isServed: hasObjects, s3, manager, isNeeded: needsObjects)
        let server = ServerRun(
            manager: manager, administrators: administrators,
            address: address, certificate: certificate,
            modules: [backend] + (try modules(backend, objects)) + (objects.map { [$0] } ?? [])
                + (try consoleModules(settings, host: host, log: logs.recent)),
            tiles: tiles, backups: backups ?? settings.string("backups"),
            portAdvice: portAdvice, logs: logs, isSafe: try safe || settings.value("safe", ServeOptions.truth) ?? false)
        try await server.run { port in
            try await administrators.keepFirst { name, password in
                CommandText.complain("created the administrator \(name) with the password \(password) (shown once)")
            }
            if certificate == nil, !HostAddress.isThisMachine(host) {
                CommandText.complain(
                    "warning: \(host) can be reached by other machines, and without TLS passwords and documents can be "
                        + "read in transit. Use --tls-certificate and --tls-key, or listen on 127.0.0.1 behind a "
                        + "proxy that speaks TLS.")
            }
            let scheme = certificate == nil ? "http" : "https"
            CommandText.printLine(
                "Godwit is listening on \(scheme)://\(host.includes(":") ? "[\(host)]" : host):\(port)")
            if hasS3Port, let s3Port = await s3Ports.first(where: { _ in true }) {
                CommandText.printLine("S3 is at \(scheme)://\(host.includes(":") ? "[\(host)]" : host):\(s3Port)")
            }
            try StandardStream.output.check()
            try await onListening(port)
        }
    }

    /// Returns how S3 is offered.
    private func s3Options(
        _ settings: Settings, main: GodwitServer.Address, hasObjects: Bool
    ) throws -> S3Options {
        var options = S3Options()
        let port = try s3Port ?? settings.value("s3-port", ServerRun.port)
        options.host = s3Host ?? settings.string("s3-host")
        options.acceptsVersion2 = try s3SignatureV2 ?? settings.value("s3-signature-v2", ServeOptions.truth) ?? true
        guard port == nil || hasObjects else { throw ValidationError("--s3-port needs --objects.") }
        guard port == nil || port == 0 || port != main.port else {
            throw ValidationError("--s3-port must differ from --port.")
        }
        options.address = port.map { GodwitServer.Address(host: main.host, port: $0) }
        if let host = options.host {
            guard port != nil else { throw ValidationError("--s3-host needs --s3-port.") }
            guard S3Options.isHost(host) else {
                throw ValidationError("--s3-host must be a host name without a port, for example s3.example.com.")
            }
        }
        return options
    }

    /// Returns the module of object storage if another module, an option or an environment variable needs it. The
    /// module is also needed if the directory contains objects, because it adds the objects to backups.
    private func objectsModule(
        isServed: Bool, _ s3: S3Options, _ manager: DatastoreManager, isNeeded: Bool
    ) throws -> ObjectsModule? {
        guard isServed || isNeeded || ObjectsModule.hasObjects(in: manager) else { return nil }
        do {
            return try ObjectsModule(manager: manager, isServed: isServed, s3: s3)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Parses `true` or `false`.
    private static func truth(_ text: String) throws -> Bool {
        guard let isTrue = Bool(text) else { throw ValidationError("it must be true or false") }
        return isTrue
    }

    /// Returns the console's module if an option or an environment variable enables the console. If neither is set,
    /// returns the module if only clients on this machine can use the server.
    private func consoleModules(
        _ settings: Settings, host: String, log: RecentLog?
    ) throws -> [any ServerModule] {
        let isWanted = try console ?? settings.value("console", ServeOptions.truth)
        guard isWanted ?? HostAddress.isThisMachine(host) else { return [] }
        return [ConsoleModule(for: isWanted == nil ? .thisMachine : .everyone, log: log)]
    }

    private func declaredApplications(_ settings: Settings) throws -> [Application] {
        let files =
            application.isEmpty
            ? (settings.string("application") ?? "").pieces(at: ":").map(String.init) : application
        return try files.map { file in
            do {
                let bytes = try OpenFile.contents(
                    of: file, as: "the application", bytesMax: BackendLimits.applicationFileBytesMax)
                return try Application(try JSONValue(parsing: bytes))
            } catch let error as StoreError {
                throw CommandFailure(error)
            } catch {
                throw CommandFailure(message: "\(file): \(CommandFailure(error).message ?? "it cannot be read")")
            }
        }
    }

    private func certificate(_ settings: Settings) throws -> GodwitServer.Certificate? {
        switch (tlsCertificate ?? settings.string("tlsCertificate"), tlsKey ?? settings.string("tlsKey")) {
        case (nil, nil): return nil
        case (let certificates?, let key?):
            do {
                return try GodwitServer.Certificate(certificates: certificates, key: key)
            } catch {
                throw CommandFailure(message: error.description)
            }
        default: throw ValidationError("--tls-certificate and --tls-key must be used together.")
        }
    }

    private func temporaryAdministrator(_ settings: Settings) throws -> (name: String, password: String)? {
        guard let nameAndPassword = admin ?? settings.secret("admin") else { return nil }
        let parts = nameAndPassword.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1)
        guard parts.count == 2 else { throw ValidationError("--admin must be NAME:PASSWORD, neither of them empty.") }
        return (String(decoding: parts[0], as: UTF8.self), String(decoding: parts[1], as: UTF8.self))
    }
}
