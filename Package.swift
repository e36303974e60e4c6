// swift-tools-version: 6.2

import PackageDescription

/// `GODWIT_STORE_ONLY=1` leaves the store and its tests alone in the package, so that a sanitizer's build is small.
let storeOnly = Context.environment["GODWIT_STORE_ONLY"] != nil

// The trait `SystemLibraries` links ICU, PCRE2 and libcrypto. A program without it links SQLite and zlib alone: it is the
// trait of Linux, and `Portable` that of systems whose apps cannot link them.
#if os(Linux)
    let defaultTrait = "SystemLibraries"
#else
    let defaultTrait = "Portable"
#endif

let systemLibraries: [CSetting] = [.define("GODWIT_SYSTEM_LIBRARIES", .when(traits: ["SystemLibraries"]))]

/// Links a library of the system.
func linked(_ library: String) -> [LinkerSetting] {
    [.linkedLibrary(library, .when(traits: ["SystemLibraries"]))]
}

/// swift-crypto for programs without libcrypto. With libcrypto, a package with Godwit builds no second cryptographic
/// library.
let portableCrypto: [Target.Dependency] = [
    .product(name: "Crypto", package: "swift-crypto", condition: .when(traits: ["Portable"])),
    .product(name: "CryptoExtras", package: "swift-crypto", condition: .when(traits: ["Portable"])),
]

// MARK: - The rooms
// A room is a folder of `Sources`. A target depends only on targets of its room and of earlier rooms.

/// C code: libraries of the system, code that Swift cannot express, and embedded pages.
let c = room(
    "C",
    [
        .systemLibrary(
            name: "CSQLite", path: "Sources/C/CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CZlib", path: "Sources/C/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(name: "CBase", cSettings: systemLibraries, linkerSettings: linked("crypto")),
        .target(
            name: "CPageCipher", dependencies: ["CBase", "CSQLite"], cSettings: systemLibraries,
            linkerSettings: linked("crypto")),
        .target(name: "CFaultDisk", dependencies: ["CSQLite"]),
        .target(
            name: "CSelector", exclude: ["Data"], cSettings: systemLibraries,
            linkerSettings: linked("pcre2-8")),
        .target(
            name: "CText", dependencies: ["CSQLite"], exclude: ["Data"], cSettings: systemLibraries,
            linkerSettings: linked("icuuc")),
        .target(name: "CPlaces"),
        .target(name: "CWorker"),
        .target(name: "CViews"),
        .target(name: "CPages", exclude: ["BaseMap", "Console", "Map"]),
        .target(name: "CCurl"),
        .target(name: "CChecksums"),
    ])

/// Bytes, files, threads, compression and JSON, for all modules.
let base = room(
    "Base",
    [
        .target(name: "GodwitBase", dependencies: ["CBase", "CZlib"] + portableCrypto),
        .target(name: "GodwitFoundation"),
        .target(name: "GodwitJSON"),
    ])

/// The engine of an app's datastore and of a server's databases, without sockets.
let engine = room(
    "Engine",
    [
        .target(
            name: "GodwitKeys",
            dependencies: ["CBase", "GodwitBase", "GodwitJSON"] + portableCrypto),
        .target(name: "GodwitSQLite", dependencies: ["CPageCipher", "CSQLite", "GodwitBase"] + portableCrypto),
        .target(
            name: "GodwitStore",
            dependencies: ["CBase", "GodwitBase", "GodwitFoundation", "GodwitJSON", "GodwitKeys", "GodwitSQLite"]),
        .target(
            name: "GodwitSelector",
            dependencies: ["CSelector", "GodwitBase", "GodwitFoundation", "GodwitJSON", "GodwitStore"]),
        .target(
            name: "GodwitText",
            dependencies: [
                "CText", "GodwitBase", "GodwitFoundation", "GodwitJSON", "GodwitSQLite", "GodwitSelector",
                "GodwitStore",
            ]),
        .target(
            name: "GodwitQuery",
            dependencies: [
                "GodwitBase", "GodwitJSON", "GodwitKeys", "GodwitSQLite", "GodwitSelector", "GodwitStore", "GodwitText",
            ]),
        .target(
            name: "GodwitPlaces",
            dependencies: [
                "CPlaces", "CSQLite", "GodwitBase", "GodwitJSON", "GodwitQuery", "GodwitSQLite", "GodwitSelector",
                "GodwitStore",
            ]),
        .target(
            name: "GodwitViews",
            dependencies: [
                "CViews", "CWorker", "GodwitBase", "GodwitJSON", "GodwitKeys", "GodwitPlaces", "GodwitQuery",
                "GodwitSQLite", "GodwitSelector", "GodwitStore", "GodwitText",
            ]),
        .target(
            name: "GodwitTesting",
            dependencies: ["CFaultDisk", "GodwitBase", "GodwitFoundation", "GodwitKeys", "GodwitQuery", "GodwitStore"]),
    ])

/// Requests, and replication with the client of a remote database.
let sync = room(
    "Sync",
    [
        .target(
            name: "GodwitTransport", dependencies: ["GodwitBase", "GodwitFoundation", "GodwitJSON", "GodwitStore"]),
        .target(name: "GodwitURLSession", dependencies: ["GodwitBase", "GodwitTransport"]),
        .target(
            name: "GodwitClientNIO",
            dependencies: [
                "GodwitBase", "GodwitFoundation", "GodwitTransport", .asyncHTTPClient, .nioCore, .nioHTTP1, .nioPosix,
                .nioSSL,
            ]),
        .target(
            name: "GodwitSync",
            dependencies: [
                "GodwitBase", "GodwitFoundation", "GodwitJSON", "GodwitQuery", "GodwitSelector", "GodwitStore",
                "GodwitText", "GodwitTransport",
            ]),
    ])

/// The modules that an app imports.
let library = room(
    "Library",
    [
        .target(
            name: "GodwitAccess",
            dependencies: ["GodwitBase", "GodwitJSON", "GodwitKeys", "GodwitStore", "GodwitTransport"]),
        .target(
            name: "GodwitDatabase",
            dependencies: [
                "GodwitAccess", "GodwitJSON", "GodwitKeys", "GodwitQuery", "GodwitSelector", "GodwitStore",
                "GodwitSync", "GodwitText", "GodwitTransport",
            ]),
        .target(
            name: "Godwit",
            dependencies: [
                "GodwitAccess", "GodwitBase", "GodwitDatabase", "GodwitJSON", "GodwitStore", "GodwitSync",
                "GodwitTransport", "GodwitURLSession",
            ]),
        .target(
            name: "GodwitGeo",
            dependencies: [
                "GodwitBase", "GodwitJSON", "GodwitPlaces", "GodwitQuery", "GodwitStore", "GodwitSync",
                "GodwitTransport",
            ]),
    ])

/// For those who come from Cloudant Sync: its names and its files.
let cloudant = room(
    "Cloudant",
    [
        .target(name: "GodwitCloudantCompat", dependencies: ["Godwit"]),
        .target(
            name: "GodwitCloudantImport",
            dependencies: [
                "CBase", "GodwitBase", "GodwitFoundation", "GodwitJSON", "GodwitKeys", "GodwitQuery", "GodwitSQLite",
                "GodwitStore", "GodwitSync", "GodwitTransport",
            ]),
    ])

/// The server and its modules.
let server = room(
    "Server",
    [
        .target(
            name: "GodwitServer",
            dependencies: [
                "CPages", "GodwitBase", "GodwitClientNIO", "GodwitFoundation", "GodwitJSON", "GodwitPlaces",
                "GodwitQuery", "GodwitSQLite", "GodwitSelector", "GodwitStore", "GodwitSync", "GodwitText",
                "GodwitTransport", "GodwitViews", .crypto, .cryptoExtras, .httpTypes, .hummingbirdCore,
                .hummingbirdHTTP2, .jwtKit, .logging, .nioCore, .nioHTTP1, .nioHTTPTypes, .nioHTTPTypesHTTP1, .nioPosix,
                .nioSSL, .nioWebSocket, .serviceLifecycle,
            ]),
        .target(
            name: "GodwitBackend",
            dependencies: [
                "CCurl", "GodwitBase", "GodwitClientNIO", "GodwitFoundation", "GodwitJSON", "GodwitQuery",
                "GodwitSelector", "GodwitServer", "GodwitStore", "GodwitSync", "GodwitText", "GodwitTransport", .crypto,
                .cryptoExtras, .httpTypes, .jwtKit, .logging,
            ]),
        .target(
            name: "GodwitObjectStore", dependencies: ["GodwitBase", "GodwitJSON", "GodwitStore", "GodwitTransport"]),
        .target(
            name: "GodwitObjects",
            dependencies: [
                "CChecksums", "CZlib", "GodwitBase", "GodwitJSON", "GodwitKeys", "GodwitObjectStore", "GodwitSQLite",
                "GodwitServer", "GodwitStore", "GodwitTransport", .crypto, .httpTypes, .logging, .nioCore,
            ]),
        .target(
            name: "GodwitConsole",
            dependencies: ["GodwitJSON", "GodwitServer", .httpTypes]),
    ])

/// The command, what every program with a server uses, and import and export.
let tools = room(
    "Tools",
    [
        .target(
            name: "GodwitHost",
            dependencies: [
                "GodwitBackend", "GodwitBase", "GodwitConsole", "GodwitFoundation", "GodwitJSON", "GodwitKeys",
                "GodwitObjects", "GodwitServer", "GodwitStore", "GodwitTransport", "GodwitViews", .argumentParser,
                .configuration, .logging, .nioCore, .serviceLifecycle, .unixSignals,
            ]),
        .target(
            name: "GodwitExchange",
            dependencies: ["GodwitBase", "GodwitJSON", "GodwitPlaces", "GodwitSelector", "GodwitStore"]),
        .executableTarget(
            name: "GodwitCLI",
            dependencies: [
                "GodwitBackend", "GodwitBase", "GodwitClientNIO", "GodwitCloudantImport", "GodwitDatabase",
                "GodwitExchange", "GodwitFoundation", "GodwitHost", "GodwitJSON", "GodwitKeys", "GodwitObjectStore",
                "GodwitObjects", "GodwitQuery", "GodwitSelector", "GodwitServer", "GodwitStore", "GodwitSync",
                "GodwitTransport", "GodwitViews", .argumentParser, .asyncHTTPClient, .logging, .nioCore, .nioHTTP1,
                .unixSignals,
            ]),
    ])

// MARK: - Tests and benchmarks

/// The tests of the store.
let storeTests: [Target] = [
    .target(name: "TestKit", dependencies: ["GodwitJSON", "GodwitKeys"], path: "Tests/TestKit"),
    .testTarget(
        name: "GodwitStoreTests",
        dependencies: ["GodwitBase", "GodwitJSON", "GodwitKeys", "GodwitSQLite", "GodwitStore", "TestKit"]),
]

/// The other tests, and the benchmarks.
let otherTests: [Target] = [
    .target(
        name: "EngineTesting",
        dependencies: ["GodwitJSON", "GodwitKeys", "GodwitQuery", "GodwitStore", "GodwitText", "TestKit"],
        path: "Tests/EngineTesting"),
    .target(
        name: "ServerTesting",
        dependencies: [
            "GodwitJSON", "GodwitQuery", "GodwitServer", "GodwitStore", .httpTypes, .hummingbirdCore, .logging,
            .nioCore, .nioEmbedded, .nioHTTPTypes,
        ],
        path: "Tests/ServerTesting"),
    .executableTarget(
        name: "TestDriver",
        dependencies: [
            "GodwitBase", "GodwitJSON", "GodwitKeys", "GodwitPlaces", "GodwitQuery", "GodwitSQLite", "GodwitStore",
            "GodwitViews",
        ],
        path: "Tests/TestDriver"),
    .testTarget(
        name: "GodwitAccessTests",
        dependencies: [
            "GodwitAccess", "GodwitBackend", "GodwitBase", "GodwitClientNIO", "GodwitJSON", "GodwitKeys", "GodwitQuery",
            "GodwitServer", "GodwitStore", "GodwitSync", "GodwitTransport", .logging,
        ]),
    .testTarget(
        name: "GodwitBackendTests",
        dependencies: [
            "GodwitBackend", "GodwitBase", "GodwitFoundation", "GodwitJSON", "GodwitServer", "GodwitStore",
            "ServerTesting", .httpTypes, .jwtKit,
        ]),
    .testTarget(name: "GodwitBaseTests", dependencies: ["GodwitBase", "TestKit"]),
    .testTarget(name: "GodwitCloudantCompatTests", dependencies: ["Godwit", "GodwitCloudantCompat"]),
    .testTarget(
        name: "GodwitConsoleTests",
        dependencies: ["GodwitConsole", "GodwitJSON", "GodwitServer", "ServerTesting", .httpTypes]),
    .testTarget(
        name: "GodwitCrashTests",
        dependencies: [
            "GodwitJSON", "GodwitKeys", "GodwitQuery", "GodwitStore", "GodwitViews", "TestDriver", "TestKit",
        ]),
    .testTarget(name: "GodwitExchangeTests", dependencies: ["GodwitExchange", "GodwitJSON", "GodwitStore"]),
    .testTarget(name: "GodwitJSONTests", dependencies: ["GodwitJSON", "TestKit"]),
    .testTarget(name: "GodwitKeysTests", dependencies: ["CBase", "GodwitBase", "GodwitJSON", "GodwitKeys", "TestKit"]),
    .testTarget(name: "GodwitObjectStoreTests", dependencies: ["GodwitBase", "GodwitObjectStore"]),
    .testTarget(
        name: "GodwitObjectsTests",
        dependencies: [
            "GodwitBase", "GodwitClientNIO", "GodwitFoundation", "GodwitKeys", "GodwitObjectStore", "GodwitObjects",
            "GodwitServer", "GodwitStore", "GodwitTransport", .logging,
        ]),
    .testTarget(
        name: "GodwitPlacesTests",
        dependencies: [
            "GodwitJSON", "GodwitKeys", "GodwitPlaces", "GodwitQuery", "GodwitSQLite", "GodwitSelector", "GodwitStore",
            "TestKit",
        ],
        exclude: ["Geometry/Data"]),
    .testTarget(
        name: "GodwitQueryTests",
        dependencies: [
            "EngineTesting", "GodwitBase", "GodwitJSON", "GodwitQuery", "GodwitSQLite", "GodwitSelector", "GodwitStore",
            "GodwitText", "TestKit",
        ]),
    .testTarget(
        name: "GodwitSQLiteTests",
        dependencies: ["CBase", "CPageCipher", "GodwitSQLite", "TestKit"],
        exclude: ["Fixtures"]),
    .testTarget(
        name: "GodwitSelectorTests",
        dependencies: ["GodwitBase", "GodwitJSON", "GodwitSelector", "GodwitStore", "TestKit"]),
    .testTarget(
        name: "GodwitServerTests",
        dependencies: [
            "GodwitBase", "GodwitJSON", "GodwitQuery", "GodwitServer", "GodwitStore", "GodwitSync", "ServerTesting",
            "TestKit", .httpTypes, .hummingbirdCore, .logging, .nioCore, .nioEmbedded, .nioPosix,
        ]),
    .testTarget(
        name: "GodwitSyncTests",
        dependencies: [
            "Godwit", "GodwitBase", "GodwitClientNIO", "GodwitGeo", "GodwitJSON", "GodwitKeys", "GodwitPlaces",
            "GodwitQuery", "GodwitSelector", "GodwitServer", "GodwitStore", "GodwitSync", "GodwitText",
            "GodwitTransport", "GodwitURLSession", "GodwitViews", "TestKit", .logging,
        ]),
    .testTarget(
        name: "GodwitTestingTests",
        dependencies: ["GodwitJSON", "GodwitKeys", "GodwitStore", "GodwitTesting", "TestKit"]),
    .testTarget(
        name: "GodwitTextTests",
        dependencies: [
            "EngineTesting", "GodwitBase", "GodwitJSON", "GodwitQuery", "GodwitSQLite", "GodwitStore", "GodwitText",
            "TestKit",
        ]),
    .testTarget(name: "GodwitTransportTests", dependencies: ["GodwitTransport", "TestKit"]),
    .testTarget(
        name: "GodwitViewsTests",
        dependencies: [
            "GodwitBase", "GodwitJSON", "GodwitKeys", "GodwitPlaces", "GodwitQuery", "GodwitSQLite", "GodwitSelector",
            "GodwitStore", "GodwitText", "GodwitViews", "TestDriver", "TestKit",
        ]),
    .executableTarget(
        name: "GodwitBenchmarks",
        dependencies: [
            "GodwitBackend", "GodwitBase", "GodwitClientNIO", "GodwitJSON", "GodwitKeys", "GodwitPlaces", "GodwitQuery",
            "GodwitSQLite", "GodwitServer", "GodwitStore", "GodwitSync", "GodwitTesting", "GodwitTransport",
            "GodwitViews", .httpTypes, .hummingbirdCore, .logging, .nioCore, .nioPosix,
        ],
        path: "Benchmarks/GodwitBenchmarks"),
]

// MARK: - The package

let package = Package(
    name: "godwit",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: storeOnly
        ? []
        : [
            .library(name: "Godwit", targets: ["Godwit"]),
            // `Godwit` without `URLSession`, whose static library needs libcurl.
            .library(name: "GodwitDatabase", targets: ["GodwitDatabase"]),
            .library(name: "GodwitClientNIO", targets: ["GodwitClientNIO"]),
            .library(name: "GodwitGeo", targets: ["GodwitGeo", "GodwitPlaces"]),
            .library(name: "GodwitText", targets: ["GodwitText"]),
            .library(name: "GodwitCloudantImport", targets: ["GodwitCloudantImport"]),
            .library(name: "GodwitCloudantCompat", targets: ["GodwitCloudantCompat"]),
            .library(name: "GodwitExchange", targets: ["GodwitExchange"]),
            .library(name: "GodwitServer", targets: ["GodwitServer"]),
            .library(
                name: "GodwitBackend", targets: ["GodwitBackend", "GodwitConsole", "GodwitHost", "GodwitObjects"]),
            .library(name: "CWorker", targets: ["CWorker"]),
            .library(name: "GodwitObjectStore", targets: ["GodwitObjectStore"]),
            .library(name: "GodwitViews", targets: ["GodwitViews"]),
            .library(name: "GodwitTesting", targets: ["GodwitTesting"]),
            .executable(name: "godwit", targets: ["GodwitCLI"]),
        ],
    traits: [
        .default(enabledTraits: [defaultTrait]),
        .trait(name: "SystemLibraries", description: "Links ICU, PCRE2 and libcrypto. Tested with the server."),
        .trait(name: "Portable", description: "Links SQLite and zlib alone."),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2")
    ]
        + (storeOnly
            ? []
            : [
                .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
                .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
                .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
                .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
                .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
                .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
                .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
                .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
                .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
                .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
                .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
            ]),
    targets: storeOnly
        ? c.filter { ["CSQLite", "CZlib", "CBase", "CPageCipher"].contains($0.name) }
            + base + engine.prefix { $0.name != "GodwitSelector" } + storeTests
        : c + base + engine + sync + library + cloudant + server + tools + storeTests + otherTests,
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c2x
)

for target in package.targets where target.type != .system {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]
}

// The tests spend most of their time in these rooms. Assertions remain.
if Context.environment["GODWIT_OPTIMIZED"] != nil {
    for target in base + engine + sync {
        target.swiftSettings?.append(.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug)))
    }
}

/// Gives targets their folder of a room.
func room(_ folder: String, _ targets: [Target]) -> [Target] {
    for target in targets where target.path == nil { target.path = "Sources/\(folder)/\(target.name)" }
    return targets
}

// The products of other packages.
extension Target.Dependency {
    static let asyncHTTPClient: Self = .product(name: "AsyncHTTPClient", package: "async-http-client")
    static let hummingbirdCore: Self = .product(name: "HummingbirdCore", package: "hummingbird")
    static let hummingbirdHTTP2: Self = .product(name: "HummingbirdHTTP2", package: "hummingbird")
    static let jwtKit: Self = .product(name: "JWTKit", package: "jwt-kit")
    static let argumentParser: Self = .product(name: "ArgumentParser", package: "swift-argument-parser")
    static let configuration: Self = .product(name: "Configuration", package: "swift-configuration")
    static let crypto: Self = .product(name: "Crypto", package: "swift-crypto")
    static let cryptoExtras: Self = .product(name: "CryptoExtras", package: "swift-crypto")
    static let httpTypes: Self = .product(name: "HTTPTypes", package: "swift-http-types")
    static let logging: Self = .product(name: "Logging", package: "swift-log")
    static let nioCore: Self = .product(name: "NIOCore", package: "swift-nio")
    static let nioEmbedded: Self = .product(name: "NIOEmbedded", package: "swift-nio")
    static let nioHTTP1: Self = .product(name: "NIOHTTP1", package: "swift-nio")
    static let nioPosix: Self = .product(name: "NIOPosix", package: "swift-nio")
    static let nioWebSocket: Self = .product(name: "NIOWebSocket", package: "swift-nio")
    static let nioHTTPTypes: Self = .product(name: "NIOHTTPTypes", package: "swift-nio-extras")
    static let nioHTTPTypesHTTP1: Self = .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras")
    static let nioSSL: Self = .product(name: "NIOSSL", package: "swift-nio-ssl")
    static let serviceLifecycle: Self = .product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
    static let unixSignals: Self = .product(name: "UnixSignals", package: "swift-service-lifecycle")
}
