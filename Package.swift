// swift-tools-version: 6.2

import PackageDescription

/// `GODWIT_ENGINE_ONLY=1` leaves the engine and its tests alone in the package, so that a sanitizer's build is small.
let engineOnly = Context.environment["GODWIT_ENGINE_ONLY"] != nil

/// Links OpenSSL's libcrypto on Linux. Apple's systems include a cryptographic library.
let cryptoLibrary: [LinkerSetting] = [.linkedLibrary("crypto", .when(platforms: [.linux]))]

/// On other systems AES-GCM and scrypt come from libcrypto, so that a package with Godwit builds no second
/// cryptographic library.
let appleAlone: TargetDependencyCondition? = .when(platforms: [.macOS, .iOS])

/// Speech on Apple's systems has other engines.
let linuxAlone: TargetDependencyCondition? = .when(platforms: [.linux])

// MARK: - The targets
// A target depends only on targets in the same section and in earlier sections. A test target may depend on any target.

/// The engine: the targets of an app's datastore, without sockets.
let engine: [Target] = [
    .systemLibrary(
        name: "CSQLite", path: "Sources/CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CZlib", path: "Sources/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .target(name: "CCrypto", linkerSettings: cryptoLibrary),
    .target(name: "CICU", linkerSettings: [.linkedLibrary("icui18n"), .linkedLibrary("icuuc")]),
    .target(name: "CKeys"),
    .target(name: "CLastWords"),
    .target(name: "CPCRE2", linkerSettings: [.linkedLibrary("pcre2-8")]),
    .target(name: "CPageCipher", dependencies: ["CSQLite"], linkerSettings: cryptoLibrary),
    .target(name: "CTextRank", dependencies: ["CSQLite", "CTextWords"]),
    .target(name: "CTextWords", dependencies: ["CSQLite"], linkerSettings: [.linkedLibrary("icuuc")]),
    .target(name: "GodwitBytes", dependencies: ["CCrypto"]),
    .testTarget(name: "GodwitBytesTests", dependencies: ["GodwitBytes"]),
    .target(name: "GodwitFiles"),
    .testTarget(name: "GodwitFilesTests", dependencies: ["GodwitFiles"]),
    .target(name: "GodwitThreads"),
    .target(name: "GodwitJSON"),
    .testTarget(name: "GodwitJSONTests", dependencies: ["GodwitJSON", "SeededRandom"]),
    .target(name: "GodwitGzip", dependencies: ["CZlib"]),
    .testTarget(name: "GodwitGzipTests", dependencies: ["GodwitGzip"]),
    .target(name: "GodwitMultipart", dependencies: ["GodwitBytes"]),
    .testTarget(name: "GodwitMultipartTests", dependencies: ["GodwitMultipart", "SeededRandom"]),
    .target(
        name: "GodwitKeys",
        dependencies: [
            "CCrypto", "CKeys", "GodwitBytes", "GodwitFiles", "GodwitJSON", "GodwitThreads",
            .product(name: "Crypto", package: "swift-crypto", condition: appleAlone),
            .product(name: "CryptoExtras", package: "swift-crypto", condition: appleAlone),
        ]),
    .testTarget(
        name: "GodwitKeysTests",
        dependencies: ["CKeys", "GodwitBytes", "GodwitJSON", "GodwitKeys", "GodwitThreads", "ProcessMemory"]),
    .target(name: "GodwitSQLite", dependencies: ["CPageCipher", "CSQLite"]),
    .testTarget(
        name: "GodwitSQLiteTests", dependencies: ["CPageCipher", "GodwitSQLite", "ProcessMemory"],
        exclude: ["Fixtures"]),
    .target(
        name: "GodwitStore",
        dependencies: [
            "CLastWords", "GodwitBytes", "GodwitFiles", "GodwitJSON", "GodwitKeys", "GodwitSQLite", "GodwitThreads",
        ]),
    .testTarget(
        name: "GodwitStoreTests",
        dependencies: [
            "GodwitBytes", "GodwitJSON", "GodwitKeys", "GodwitSQLite", "GodwitStore", "GodwitThreads",
            "SeededRandom", "TestScale",
        ]),
    .target(
        name: "GodwitSelector", dependencies: ["CICU", "CPCRE2", "GodwitBytes", "GodwitJSON", "GodwitThreads"]),
    .testTarget(
        name: "GodwitSelectorTests",
        dependencies: [
            "GodwitBytes", "GodwitJSON", "GodwitSelector", "GodwitThreads", "RandomMango", "SeededRandom",
        ]),
    .target(
        name: "GodwitText",
        dependencies: [
            "CTextRank", "CTextWords", "GodwitBytes", "GodwitJSON", "GodwitSQLite", "GodwitSelector",
            "GodwitStore", "GodwitThreads",
        ]),
    .target(
        name: "GodwitPredicates", dependencies: ["GodwitBytes", "GodwitJSON", "GodwitSelector", "GodwitStore"]),
    .testTarget(
        name: "GodwitPredicatesTests",
        dependencies: [
            "GodwitJSON", "GodwitPredicates", "GodwitSelector", "GodwitStore", "RandomMango", "SeededRandom",
        ]),
    .target(
        name: "GodwitQuery",
        dependencies: [
            "GodwitBytes", "GodwitJSON", "GodwitKeys", "GodwitPredicates", "GodwitSQLite", "GodwitSelector",
            "GodwitStore", "GodwitText", "GodwitThreads",
        ]),
    .testTarget(
        name: "GodwitQueryTests",
        dependencies: [
            "GodwitBytes", "GodwitJSON", "GodwitKeys", "GodwitQuery", "GodwitSQLite", "GodwitSelector",
            "GodwitStore", "GodwitText", "GodwitThreads", "RandomMango", "SeededRandom", "TestScale",
        ]),
    .target(name: "CJavaScriptCore"),
    .target(name: "CScriptRuntime"),
    .target(name: "CWorker"),
    .target(
        name: "GodwitScript",
        dependencies: [
            "CJavaScriptCore", "CScriptRuntime", "CWorker", "GodwitBytes", "GodwitJSON", "GodwitStore",
            "GodwitThreads",
        ]),
    .testTarget(
        name: "GodwitScriptTests",
        dependencies: ["GodwitJSON", "GodwitScript", "GodwitStore", "GodwitThreads", "ScriptDriver", "TestScale"]),
    .target(name: "CFaultDisk", dependencies: ["CSQLite"]),
    .target(
        name: "GodwitTesting",
        dependencies: ["CFaultDisk", "GodwitKeys", "GodwitQuery", "GodwitStore", "GodwitThreads"]),
    .testTarget(
        name: "GodwitTestingTests",
        dependencies: ["GodwitJSON", "GodwitKeys", "GodwitStore", "GodwitTesting", "TestScale"]),
    .executableTarget(
        name: "CipherDriver", dependencies: ["GodwitJSON", "GodwitKeys", "GodwitQuery", "GodwitSQLite", "GodwitStore"],
        path: "Tests/CipherDriver"),
    .executableTarget(name: "ScriptDriver", dependencies: ["GodwitScript"], path: "Tests/ScriptDriver"),
    .target(name: "ChildProcess", path: "Tests/ChildProcess"),
    .target(name: "ProcessMemory", path: "Tests/ProcessMemory"),
    .target(name: "RandomMango", dependencies: ["GodwitJSON", "SeededRandom"], path: "Tests/RandomMango"),
    .target(name: "SeededRandom", path: "Tests/SeededRandom"),
    .target(name: "TestScale", path: "Tests/TestScale"),
]

/// The library: the client, replication, accounts, places, views and answers.
let library: [Target] = [
    .target(
        name: "GodwitClient",
        dependencies: [
            "GodwitBytes", "GodwitFiles", "GodwitGzip", "GodwitJSON", "GodwitMultipart", "GodwitQuery",
            "GodwitStore", "GodwitText", "GodwitThreads",
        ]),
    .target(
        name: "GodwitClientNIO",
        dependencies: [
            "GodwitBytes", "GodwitClient", "GodwitThreads", .asyncHTTPClient, .nioCore, .nioHTTP1, .nioPosix, .nioSSL,
        ]),
    .target(name: "GodwitURLSession", dependencies: ["GodwitClient", "GodwitThreads"]),
    .target(
        name: "GodwitSync",
        dependencies: [
            "GodwitBytes", "GodwitClient", "GodwitGzip", "GodwitJSON", "GodwitMultipart", "GodwitQuery",
            "GodwitSelector", "GodwitStore", "GodwitThreads",
        ]),
    .testTarget(
        name: "GodwitSyncTests",
        dependencies: [
            "ChildProcess", "GodwitBytes", "GodwitClient", "GodwitClientNIO", "GodwitGeo", "GodwitGzip",
            "GodwitJSON", "GodwitKeys", "GodwitMultipart", "GodwitPlaces", "GodwitPredicates", "GodwitQuery",
            "GodwitScript", "GodwitSelector", "GodwitServer", "GodwitStore", "GodwitSync", "GodwitText",
            "GodwitThreads", "GodwitURLSession", "GodwitViews", "SeededRandom", "TestScale", .logging,
        ]),
    .target(
        name: "GodwitAccess",
        dependencies: ["GodwitBytes", "GodwitClient", "GodwitJSON", "GodwitKeys", "GodwitStore", "GodwitThreads"]),
    .testTarget(
        name: "GodwitAccessTests",
        dependencies: [
            "BluelistCore", "GodwitAccess", "GodwitBackend", "GodwitClient", "GodwitClientNIO", "GodwitIdentity",
            "GodwitJSON", "GodwitKeys", "GodwitQuery", "GodwitServer", "GodwitStore", "GodwitSync", "GodwitThreads",
            .logging,
        ]),
    .target(
        name: "GodwitDatabase",
        dependencies: [
            "GodwitAccess", "GodwitClient", "GodwitJSON", "GodwitKeys", "GodwitPredicates", "GodwitQuery",
            "GodwitStore", "GodwitSync", "GodwitText",
        ]),
    .target(
        name: "Godwit",
        dependencies: [
            "GodwitAccess", "GodwitClient", "GodwitDatabase", "GodwitStore", "GodwitSync", "GodwitURLSession",
        ]),
    .target(name: "GodwitCloudantCompat", dependencies: ["Godwit"]),
    .testTarget(name: "GodwitCloudantCompatTests", dependencies: ["Godwit", "GodwitCloudantCompat"]),
    .target(
        name: "GodwitCloudantImport",
        dependencies: [
            "CCrypto", "GodwitBytes", "GodwitClient", "GodwitFiles", "GodwitGzip", "GodwitJSON", "GodwitKeys",
            "GodwitQuery", "GodwitSQLite", "GodwitStore", "GodwitSync", "GodwitThreads",
        ]),
    .target(name: "CGEOS"),
    .target(name: "CPROJ"),
    .target(name: "GodwitGeo", dependencies: ["CGEOS", "CPROJ", "GodwitJSON", "GodwitThreads"]),
    .testTarget(name: "GodwitGeoTests", dependencies: ["GodwitGeo", "GodwitJSON", "TestScale"], exclude: ["Data"]),
    .target(
        name: "GodwitPlaces",
        dependencies: [
            "CSQLite", "GodwitBytes", "GodwitClient", "GodwitGeo", "GodwitJSON", "GodwitQuery", "GodwitSQLite",
            "GodwitSelector", "GodwitStore", "GodwitSync", "GodwitThreads",
        ]),
    .testTarget(
        name: "GodwitPlacesTests",
        dependencies: [
            "GodwitGeo", "GodwitJSON", "GodwitKeys", "GodwitPlaces", "GodwitQuery", "GodwitSQLite",
            "GodwitSelector", "GodwitStore", "TestScale",
        ]),
    .target(
        name: "GodwitExchange",
        dependencies: ["GodwitBytes", "GodwitGeo", "GodwitJSON", "GodwitSelector", "GodwitStore"]),
    .testTarget(name: "GodwitExchangeTests", dependencies: ["GodwitExchange", "GodwitJSON", "GodwitStore"]),
    .target(
        name: "GodwitViews",
        dependencies: [
            "GodwitBytes", "GodwitJSON", "GodwitKeys", "GodwitPlaces", "GodwitQuery", "GodwitSQLite",
            "GodwitScript", "GodwitSelector", "GodwitStore", "GodwitText", "GodwitThreads",
        ]),
    .testTarget(
        name: "GodwitViewsTests",
        dependencies: [
            "GodwitBytes", "GodwitGeo", "GodwitJSON", "GodwitKeys", "GodwitPlaces", "GodwitQuery", "GodwitSQLite",
            "GodwitScript",
            "GodwitSelector", "GodwitStore", "GodwitText", "GodwitThreads", "GodwitViews", "RandomMango",
            "ScriptDriver", "SeededRandom", "TestScale",
        ]),
    .target(name: "CAnswerParameters", exclude: ["health.json"]),
    .target(
        name: "GodwitAnswers",
        dependencies: [
            "CAnswerParameters", "GodwitBytes", "GodwitFiles", "GodwitGzip", "GodwitJSON", "GodwitQuery",
            "GodwitStore", "GodwitText",
        ]),
    .testTarget(
        name: "GodwitAnswersTests", dependencies: ["GodwitAnswers", "GodwitJSON", "GodwitStore", "GodwitTesting"]),
    .target(
        name: "GodwitObjectStore",
        dependencies: ["GodwitBytes", "GodwitClient", "GodwitFiles", "GodwitJSON", "GodwitStore", "GodwitThreads"]),
    .testTarget(name: "GodwitObjectStoreTests", dependencies: ["GodwitBytes", "GodwitObjectStore", "GodwitThreads"]),
    .executableTarget(name: "GeoDriver", dependencies: ["GodwitGeo", "GodwitJSON"], path: "Tests/GeoDriver"),
]

/// The server and its modules.
let server: [Target] = [
    .target(name: "CBaseMap", exclude: ["Data", "Page"]),
    .target(name: "CMapAssets", exclude: ["Page"]),
    .target(
        name: "GodwitServer",
        dependencies: [
            "CBaseMap", "CMapAssets", "GodwitBytes", "GodwitClient", "GodwitClientNIO", "GodwitGeo", "GodwitGzip",
            "GodwitJSON", "GodwitMultipart", "GodwitPlaces", "GodwitQuery", "GodwitSQLite", "GodwitScript",
            "GodwitSelector", "GodwitStore", "GodwitSync", "GodwitText", "GodwitThreads", "GodwitViews", .crypto,
            .cryptoExtras, .httpTypes, .hummingbirdCore, .hummingbirdHTTP2, .jwtKit, .logging, .nioCore, .nioHTTP1,
            .nioHTTPTypes, .nioHTTPTypesHTTP1, .nioPosix, .nioSSL, .nioWebSocket, .serviceLifecycle,
        ]),
    .testTarget(
        name: "GodwitServerTests",
        dependencies: [
            "GodwitBytes", "GodwitJSON", "GodwitQuery", "GodwitServer", "GodwitStore", "GodwitSync", "SeededRandom",
            "ServerTesting", "TestScale",
            .httpTypes, .hummingbirdCore, .logging, .nioCore, .nioEmbedded, .nioPosix,
        ]),
    .target(name: "CConsoleAssets", exclude: ["Page"]),
    .target(
        name: "GodwitConsole",
        dependencies: ["CConsoleAssets", "GodwitBytes", "GodwitJSON", "GodwitServer", .crypto, .httpTypes]),
    .testTarget(
        name: "GodwitConsoleTests",
        dependencies: ["GodwitConsole", "GodwitJSON", "GodwitServer", "ServerTesting", .httpTypes]),
    .target(name: "CCurl"),
    .target(name: "GodwitMail", dependencies: ["CCurl", "GodwitBytes", "GodwitClient", "GodwitStore"]),
    .testTarget(name: "GodwitMailTests", dependencies: ["GodwitMail"]),
    .target(name: "GodwitIdentity", dependencies: ["GodwitBytes", "GodwitClient", "GodwitJSON", .crypto, .jwtKit]),
    .testTarget(name: "GodwitIdentityTests", dependencies: ["GodwitIdentity", "GodwitJSON"]),
    .target(
        name: "GodwitBackend",
        dependencies: [
            "GodwitBytes", "GodwitClient", "GodwitClientNIO", "GodwitIdentity", "GodwitJSON", "GodwitMail",
            "GodwitQuery", "GodwitSelector", "GodwitServer", "GodwitStore", "GodwitSync", "GodwitText",
            "GodwitThreads", .crypto, .cryptoExtras, .httpTypes, .jwtKit, .logging,
        ]),
    .testTarget(
        name: "GodwitBackendTests",
        dependencies: [
            "GodwitBackend", "GodwitBytes", "GodwitIdentity", "GodwitJSON", "GodwitServer", "GodwitStore",
            "GodwitThreads", "ServerTesting", .httpTypes, .jwtKit,
        ]),
    .target(name: "CChecksums"),
    .target(
        name: "GodwitObjectFiles",
        dependencies: [
            "GodwitBytes", "GodwitFiles", "GodwitJSON", "GodwitKeys", "GodwitObjectStore", "GodwitSQLite",
            "GodwitStore", "GodwitThreads",
        ]),
    .target(
        name: "GodwitObjects",
        dependencies: [
            "CChecksums", "CZlib", "GodwitBytes", "GodwitClient", "GodwitJSON", "GodwitMultipart",
            "GodwitObjectFiles", "GodwitObjectStore", "GodwitServer", "GodwitStore", "GodwitThreads", .crypto,
            .httpTypes, .logging, .nioCore,
        ]),
    .testTarget(
        name: "GodwitObjectsTests",
        dependencies: [
            "GodwitBytes", "GodwitClient", "GodwitClientNIO", "GodwitKeys", "GodwitObjectFiles",
            "GodwitObjectStore", "GodwitObjects", "GodwitServer", "GodwitStore", .logging,
        ]),
    .target(
        name: "GodwitHost",
        dependencies: [
            "GodwitBackend", "GodwitBytes", "GodwitClient", "GodwitConsole", "GodwitFiles", "GodwitJSON", "GodwitKeys",
            "GodwitObjects", "GodwitScript", "GodwitServer", "GodwitStore", "GodwitThreads", "GodwitViews",
            .argumentParser, .configuration, .logging, .nioCore, .serviceLifecycle, .unixSignals,
        ]),
    .target(
        name: "ServerTesting",
        dependencies: [
            "GodwitJSON", "GodwitQuery", "GodwitServer", "GodwitStore", .httpTypes, .hummingbirdCore, .logging,
            .nioCore, .nioEmbedded, .nioHTTPTypes,
        ],
        path: "Tests/ServerTesting"),
]

/// The programs of the documentation.
let documentationExamples: [Target] = [
    .exampleProgram("FirstSteps", path: "FirstSteps", dependencies: ["Godwit"]),
    .exampleProgram("RemoteSteps", path: "RemoteSteps", dependencies: ["Godwit"]),
    .exampleProgram("ReplicationSteps", path: "ReplicationSteps", dependencies: ["Godwit"]),
    .exampleProgram("QuerySteps", path: "QuerySteps", dependencies: ["Godwit"]),
    .exampleProgram("PlaceSteps", path: "PlaceSteps", dependencies: ["Godwit", "GodwitPlaces"]),
    .exampleProgram("ViewSteps", path: "ViewSteps", dependencies: ["Godwit", "GodwitScript", "GodwitViews"]),
    .exampleProgram("EncryptionSteps", path: "EncryptionSteps", dependencies: ["Godwit"]),
    .exampleProgram("KeySteps", path: "KeySteps", dependencies: ["Godwit"]),
    .exampleProgram("AccessSteps", path: "AccessSteps", dependencies: ["Godwit"]),
    .exampleProgram("CloudantSteps", path: "CloudantCompat/Steps", dependencies: ["Godwit", "GodwitCloudantCompat"]),
    .exampleProgram("ClaimsApp", path: "CloudantCompat/Claims", dependencies: ["GodwitCloudantCompat"]),
    .exampleProgram(
        "UsersAdapter", path: "UsersAdapter",
        dependencies: ["Godwit", "GodwitHost", "GodwitServer", .argumentParser, .httpTypes]),
]

/// The applications, with what they have in common at first.
let applications: [Target] = [
    .example("EmbeddedFiles", path: "EmbeddedFiles"),
    .example(
        "ExampleServices", path: "Services",
        dependencies: ["GodwitBytes", "GodwitClient", "GodwitJSON", "GodwitObjectStore"]),
    .example("ExampleWorkers", path: "Workers", dependencies: ["CWorker"]),
    .example(
        "GodwitDeviceKit", path: "Device/Kit",
        dependencies: [
            "GodwitAccess", "GodwitClient", "GodwitExchange", "GodwitGeo", "GodwitJSON", "GodwitKeys",
            "GodwitStore", "GodwitSync", "GodwitThreads", .crypto, .nioCore, .nioPosix,
        ]),
    .example(
        "GodwitDeviceProcess", path: "Device/Process",
        dependencies: [
            "EmbeddedFiles", "GodwitAccess", "GodwitDeviceKit", "GodwitHost", "GodwitJSON", .httpTypes,
            .hummingbirdCore, .logging, .nioCore, .nioPosix, .unixSignals,
        ]),
    .example(
        "GodwitDeviceDemo", path: "Device/Demo",
        dependencies: ["GodwitDeviceKit", "GodwitHost", .argumentParser, .unixSignals]),
    .systemLibrary(
        name: "CTurboJPEG", path: "Examples/Device/CTurboJPEG", pkgConfig: "libturbojpeg",
        providers: [.apt(["libturbojpeg0-dev"])]),
    .systemLibrary(name: "CPNG", path: "Examples/Device/CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
    .systemLibrary(
        name: "CExif", path: "Examples/Device/CExif", pkgConfig: "libexif", providers: [.apt(["libexif-dev"])]),
    .target(name: "CPhotoPixels", path: "Examples/Device/CPhotoPixels"),
    .example(
        "GodwitPhotos", path: "Device/Photos",
        dependencies: ["CExif", "CPNG", "CPhotoPixels", "CTurboJPEG", "CWorker", "ExampleWorkers"]),
    .example("GodwitDevicePhotos", path: "Device/PhotoProcessing", dependencies: ["GodwitDeviceKit", "GodwitPhotos"]),
    .testTarget(
        name: "GodwitDeviceTests",
        dependencies: [
            "ExampleWorkers", "GodwitClient", "GodwitDeviceKit", "GodwitDeviceProcess", "GodwitPhotos",
            "GodwitSync", .httpTypes,
        ],
        path: "Examples/Device/Tests"),
    .systemLibrary(
        name: "CEspeak", path: "Examples/Speech/CEspeak", pkgConfig: "espeak-ng",
        providers: [.apt(["libespeak-ng-dev"])]),
    .systemLibrary(name: "COgg", path: "Examples/Speech/COgg", pkgConfig: "ogg", providers: [.apt(["libogg-dev"])]),
    .systemLibrary(name: "COpus", path: "Examples/Speech/COpus", pkgConfig: "opus", providers: [.apt(["libopus-dev"])]),
    .systemLibrary(
        name: "CPocketSphinx", path: "Examples/Speech/CPocketSphinx", pkgConfig: "pocketsphinx",
        providers: [.apt(["libpocketsphinx-dev"])]),
    .systemLibrary(name: "CSoxr", path: "Examples/Speech/CSoxr", pkgConfig: "soxr", providers: [.apt(["libsoxr-dev"])]),
    .example(
        "GodwitSpeech", path: "Speech/Speech",
        dependencies: [
            "COgg", "COpus", "CSoxr", "CWorker", "ExampleWorkers", .target(name: "CEspeak", condition: linuxAlone),
            .target(name: "CPocketSphinx", condition: linuxAlone),
        ]),
    .testTarget(name: "GodwitSpeechTests", dependencies: ["GodwitSpeech"], path: "Examples/Speech/Tests"),
    .target(name: "CLocationTrackerAssets", path: "Examples/LocationTracker/CLocationTrackerAssets"),
    .example(
        "LocationTrackerClient", path: "LocationTracker/Client",
        dependencies: [
            "GodwitClient", "GodwitClientNIO", "GodwitDatabase", "GodwitDeviceKit", "GodwitGeo", "GodwitJSON",
            "GodwitKeys", "GodwitPlaces", "GodwitStore", "GodwitSync", .crypto,
        ]),
    .testTarget(
        name: "LocationTrackerClientTests",
        dependencies: [
            "ChildProcess", "GodwitClient", "GodwitDatabase", "GodwitDeviceKit", "GodwitJSON", "GodwitKeys",
            "GodwitPlaces", "GodwitSync", "GodwitThreads", "LocationTrackerClient",
        ],
        path: "Examples/LocationTracker/ClientTests"),
    .example(
        "LocationTracker", path: "LocationTracker/LocationTracker",
        dependencies: [
            "CLocationTrackerAssets", "GodwitBackend", "GodwitBytes", "GodwitClient", "GodwitClientNIO",
            "GodwitDeviceKit", "GodwitJSON", "GodwitKeys", "GodwitServer", "GodwitStore", "GodwitSync",
            "LocationTrackerClient", .httpTypes,
        ]),
    .testTarget(
        name: "LocationTrackerTests", dependencies: ["GodwitDeviceKit", "LocationTracker", "LocationTrackerClient"],
        path: "Examples/LocationTracker/LocationTrackerTests"),
    .exampleProgram(
        "LocationTrackerCommand", path: "LocationTracker/Command",
        dependencies: [
            "GodwitBackend", "GodwitDatabase", "GodwitDeviceKit", "GodwitHost", "GodwitPlaces", "LocationTracker",
            "LocationTrackerClient", .argumentParser, .unixSignals,
        ]),
    .target(name: "CGeoPixAssets", path: "Examples/GeoPix/CGeoPixAssets"),
    .example(
        "GeoPixCore", path: "GeoPix/Core",
        dependencies: ["GodwitDatabase", "GodwitDeviceKit", "GodwitJSON", "GodwitQuery", "GodwitStore", .crypto]),
    .example(
        "GeoPixServer", path: "GeoPix/Server",
        dependencies: [
            "EmbeddedFiles", "ExampleServices", "GeoPixCore", "GeoPixDevice", "GodwitBackend", "GodwitBytes",
            "GodwitClient", "GodwitClientNIO", "GodwitIdentity", "GodwitJSON", "GodwitPhotos", "GodwitQuery",
            "GodwitServer", "GodwitStore", "GodwitSync", .httpTypes,
        ]),
    .example(
        "GeoPixDevice", path: "GeoPix/Device",
        dependencies: [
            "CGeoPixAssets", "EmbeddedFiles", "GeoPixCore", "GodwitDatabase", "GodwitDeviceKit",
            "GodwitDeviceProcess", "GodwitJSON", "GodwitServer",
        ]),
    .exampleProgram(
        "GeoPixCommand", path: "GeoPix/Command",
        dependencies: [
            "ExampleServices", "GeoPixCore", "GeoPixDevice", "GeoPixServer", "GodwitBackend", "GodwitClientNIO",
            "GodwitDatabase", "GodwitDeviceDemo", "GodwitDeviceKit", "GodwitDevicePhotos", "GodwitDeviceProcess",
            "GodwitHost", "GodwitPhotos", "GodwitServer", .argumentParser,
        ]),
    .testTarget(
        name: "GeoPixTests", dependencies: ["GeoPixCore", "GodwitDatabase", "GodwitDeviceKit"],
        path: "Examples/GeoPix/Tests"),
    .target(name: "CBluePicAssets", path: "Examples/BluePic/CBluePicAssets"),
    .example(
        "BluePicCore", path: "BluePic/Core",
        dependencies: ["GodwitBytes", "GodwitDatabase", "GodwitDeviceKit", .crypto]),
    .example(
        "BluePicServer", path: "BluePic/Server",
        dependencies: [
            "CBluePicAssets", "EmbeddedFiles", "ExampleServices", "GodwitBackend", "GodwitBytes", "GodwitJSON",
            "GodwitObjectStore", "GodwitPhotos", "GodwitQuery", "GodwitServer", "GodwitStore", "GodwitThreads",
            "GodwitViews", .crypto, .httpTypes, .logging,
        ]),
    .example(
        "BluePicDevice", path: "BluePic/Device",
        dependencies: [
            "BluePicCore", "CBluePicAssets", "EmbeddedFiles", "GodwitDatabase", "GodwitDeviceKit",
            "GodwitDeviceProcess",
        ]),
    .exampleProgram(
        "BluePicCommand", path: "BluePic/Command",
        dependencies: [
            "BluePicCore", "BluePicDevice", "BluePicServer", "ExampleServices", "GodwitBackend", "GodwitClient",
            "GodwitClientNIO", "GodwitDatabase", "GodwitDeviceDemo", "GodwitDeviceKit", "GodwitDevicePhotos",
            "GodwitDeviceProcess", "GodwitHost", "GodwitJSON", "GodwitObjects", "GodwitPhotos", "GodwitServer",
            .argumentParser,
        ]),
    .testTarget(
        name: "BluePicTests", dependencies: ["BluePicCore", "GodwitDatabase", "GodwitDeviceKit"],
        path: "Examples/BluePic/Tests"),
    .target(name: "CBluelistAssets", path: "Examples/Bluelist/CBluelistAssets"),
    .example("BluelistCore", path: "Bluelist/Core", dependencies: ["GodwitDatabase", "GodwitDeviceKit"]),
    .example(
        "BluelistDevice", path: "Bluelist/Device",
        dependencies: [
            "BluelistCore", "CBluelistAssets", "EmbeddedFiles", "GodwitDatabase", "GodwitDeviceKit",
            "GodwitDeviceProcess",
        ]),
    .exampleProgram(
        "BluelistCommand", path: "Bluelist/Command",
        dependencies: [
            "BluelistCore", "BluelistDevice", "GodwitBackend", "GodwitClientNIO", "GodwitDatabase",
            "GodwitDeviceDemo", "GodwitDeviceKit", "GodwitDeviceProcess", "GodwitHost", "GodwitJSON",
            "GodwitServer", .argumentParser,
        ]),
    .testTarget(
        name: "BluelistTests",
        dependencies: ["BluelistCore", "GodwitDatabase", "GodwitDeviceKit", "GodwitJSON", "GodwitStore"],
        path: "Examples/Bluelist/Tests"),
    .target(name: "CConversationAssets", path: "Examples/Conversation/CConversationAssets"),
    .example(
        "ConversationCore", path: "Conversation/Core",
        dependencies: ["GodwitAnswers", "GodwitBytes", "GodwitDatabase", "GodwitDeviceKit"]),
    .example(
        "ConversationServer", path: "Conversation/Server",
        dependencies: [
            "CConversationAssets", "EmbeddedFiles", "GodwitAnswers", "GodwitBackend", "GodwitBytes", "GodwitJSON",
            "GodwitQuery", "GodwitServer", "GodwitSpeech", "GodwitStore", .httpTypes, .logging,
        ]),
    .example(
        "ConversationDevice", path: "Conversation/Device",
        dependencies: [
            "CConversationAssets", "ConversationCore", "EmbeddedFiles", "GodwitDatabase", "GodwitDeviceKit",
            "GodwitDeviceProcess", "GodwitSpeech",
        ]),
    .exampleProgram(
        "ConversationCommand", path: "Conversation/Command",
        dependencies: [
            "ConversationCore", "ConversationDevice", "ConversationServer", "GodwitAnswers", "GodwitBackend",
            "GodwitClientNIO", "GodwitDatabase", "GodwitDeviceDemo", "GodwitDeviceKit", "GodwitDeviceProcess",
            "GodwitHost", "GodwitJSON", "GodwitServer", "GodwitSpeech", .argumentParser,
        ]),
]

/// The command `godwit`, the benchmarks, and the tests that kill processes.
let command: [Target] = [
    .executableTarget(
        name: "GodwitCLI",
        dependencies: [
            "GodwitBackend", "GodwitBytes", "GodwitClient", "GodwitClientNIO", "GodwitCloudantImport",
            "GodwitConsole", "GodwitDatabase", "GodwitExchange", "GodwitFiles", "GodwitHost", "GodwitJSON",
            "GodwitKeys", "GodwitObjectFiles", "GodwitObjectStore", "GodwitObjects", "GodwitQuery",
            "GodwitSelector", "GodwitServer", "GodwitStore", "GodwitSync", "GodwitThreads", "GodwitViews",
            "LocationTracker", .argumentParser, .asyncHTTPClient, .nioCore, .nioHTTP1, .unixSignals,
        ]),
    .executableTarget(
        name: "GodwitBenchmarks",
        dependencies: [
            "GodwitBackend", "GodwitClient", "GodwitClientNIO", "GodwitGeo", "GodwitJSON", "GodwitKeys",
            "GodwitPlaces", "GodwitQuery", "GodwitSQLite", "GodwitScript", "GodwitServer", "GodwitStore",
            "GodwitSync", "GodwitTesting", "GodwitThreads", "GodwitViews", .httpTypes, .hummingbirdCore, .logging,
            .nioCore, .nioPosix,
        ],
        path: "Benchmarks/GodwitBenchmarks"),
    .executableTarget(
        name: "CrashDriver",
        dependencies: [
            "GodwitJSON", "GodwitKeys", "GodwitPlaces", "GodwitQuery", "GodwitScript", "GodwitStore",
            "GodwitThreads", "GodwitViews",
        ],
        path: "Tests/CrashDriver"),
    .testTarget(
        name: "GodwitCrashTests",
        dependencies: [
            "ChildProcess", "CrashDriver", "GodwitJSON", "GodwitKeys", "GodwitQuery", "GodwitScript", "GodwitStore",
            "GodwitViews",
        ]),
]

// MARK: - The package

let package = Package(
    name: "godwit",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: engineOnly
        ? []
        : [
            .library(name: "Godwit", targets: ["Godwit"]),
            .library(name: "GodwitClientNIO", targets: ["GodwitClientNIO"]),
            .library(name: "GodwitGeo", targets: ["GodwitGeo", "GodwitPlaces"]),
            .library(name: "GodwitText", targets: ["GodwitText"]),
            .library(name: "GodwitCloudantImport", targets: ["GodwitCloudantImport"]),
            .library(name: "GodwitCloudantCompat", targets: ["GodwitCloudantCompat"]),
            .library(name: "GodwitExchange", targets: ["GodwitExchange"]),
            .library(name: "GodwitServer", targets: ["GodwitServer"]),
            .library(
                name: "GodwitBackend", targets: ["GodwitBackend", "GodwitConsole", "GodwitHost", "GodwitObjects"]),
            .library(name: "GodwitAnswers", targets: ["GodwitAnswers"]),
            .library(name: "GodwitObjectStore", targets: ["GodwitObjectStore"]),
            .library(name: "GodwitScript", targets: ["GodwitScript", "GodwitViews"]),
            .library(name: "GodwitTesting", targets: ["GodwitTesting"]),
            .library(name: "LocationTrackerClient", targets: ["GodwitDeviceKit", "LocationTrackerClient"]),
            .executable(name: "godwit", targets: ["GodwitCLI"]),
            .executable(name: "bluelist", targets: ["BluelistCommand"]),
            .executable(name: "bluepic", targets: ["BluePicCommand"]),
            .executable(name: "conversation", targets: ["ConversationCommand"]),
            .executable(name: "geopix", targets: ["GeoPixCommand"]),
            .executable(name: "location-tracker", targets: ["LocationTrackerCommand"]),
        ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2")
    ]
        + (engineOnly
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
    targets: engine
        + (engineOnly ? [] : library + server + documentationExamples + applications + command),
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

extension Target {
    /// A module of an example. As a module of another package it uses public declarations alone.
    static func example(_ name: String, path: String, dependencies: [Dependency] = []) -> Target {
        .target(name: name, dependencies: dependencies, path: "Examples/\(path)", packageAccess: false)
    }

    /// A program of an example. As a program of another package it uses public declarations alone.
    static func exampleProgram(_ name: String, path: String, dependencies: [Dependency]) -> Target {
        .executableTarget(name: name, dependencies: dependencies, path: "Examples/\(path)", packageAccess: false)
    }
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
