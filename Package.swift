// swift-tools-version: 6.2

import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// Links OpenSSL's libcrypto on Linux. Apple's systems include a cryptographic library.
let cryptoLibrary: [LinkerSetting] = [.linkedLibrary("crypto", .when(platforms: [.linux]))]

/// On other systems AES-GCM and scrypt come from libcrypto, so that a package with Godwit builds no second
/// cryptographic library.
let appleAlone: TargetDependencyCondition? = .when(platforms: [.macOS, .iOS])

/// The engine: the targets of an app's datastore, without sockets.
let engine: [Target] = [
    .systemLibrary(
        name: "CSQLite",
        path: "Sources/CSQLite",
        pkgConfig: "sqlite3",
        providers: [.apt(["libsqlite3-dev"])]
    ),
    .target(name: "GodwitJSON", swiftSettings: settings),
    .target(name: "CPageCipher", dependencies: ["CSQLite"], linkerSettings: cryptoLibrary),
    .target(name: "GodwitSQLite", dependencies: ["CPageCipher", "CSQLite"], swiftSettings: settings),
    .target(
        name: "GodwitStore",
        dependencies: [
            "GodwitBytes", "GodwitFiles", "GodwitJSON", "GodwitKeys", "GodwitSQLite", "GodwitThreads",
        ],
        swiftSettings: settings
    ),
    .target(name: "CCrypto", linkerSettings: cryptoLibrary),
    .target(name: "GodwitBytes", dependencies: ["CCrypto"], swiftSettings: settings),
    .testTarget(name: "GodwitBytesTests", dependencies: ["GodwitBytes"], swiftSettings: settings),
    .target(name: "GodwitFiles", swiftSettings: settings),
    .testTarget(name: "GodwitFilesTests", dependencies: ["GodwitFiles"], swiftSettings: settings),
    .target(name: "GodwitThreads", swiftSettings: settings),
    .target(name: "CKeys"),
    .target(
        name: "GodwitKeys",
        dependencies: [
            "CCrypto", "CKeys", "GodwitBytes", "GodwitFiles", "GodwitJSON", "GodwitThreads",
            .product(name: "Crypto", package: "swift-crypto", condition: appleAlone),
            .product(name: "CryptoExtras", package: "swift-crypto", condition: appleAlone),
        ],
        swiftSettings: settings
    ),
    .testTarget(
        name: "GodwitKeysTests",
        dependencies: [
            "CKeys", "GodwitBytes", "GodwitJSON", "GodwitKeys", "GodwitThreads", "ProcessMemory",
        ],
        swiftSettings: settings),
    .target(name: "ProcessMemory", path: "Tests/ProcessMemory", swiftSettings: settings),
    .target(name: "CICU", linkerSettings: [.linkedLibrary("icui18n"), .linkedLibrary("icuuc")]),
    .target(name: "CPCRE2", linkerSettings: [.linkedLibrary("pcre2-8")]),
    .target(
        name: "GodwitSelector", dependencies: ["GodwitJSON", "GodwitThreads", "CICU", "CPCRE2"],
        swiftSettings: settings),
    .target(name: "CTextWords", dependencies: ["CSQLite"], linkerSettings: [.linkedLibrary("icuuc")]),
    .target(name: "CTextRank", dependencies: ["CSQLite", "CTextWords"]),
    .target(
        name: "GodwitText",
        dependencies: [
            "CTextRank", "CTextWords", "GodwitJSON", "GodwitSQLite", "GodwitSelector", "GodwitStore",
            "GodwitThreads",
        ],
        swiftSettings: settings),
    .target(
        name: "GodwitPredicates", dependencies: ["GodwitJSON", "GodwitSelector", "GodwitStore"], swiftSettings: settings
    ),
    .testTarget(
        name: "GodwitPredicatesTests",
        dependencies: [
            "GodwitJSON", "GodwitPredicates", "GodwitSelector", "GodwitStore", "RandomMango", "SeededRandom",
        ],
        swiftSettings: settings),
    .target(
        name: "GodwitQuery",
        dependencies: [
            "GodwitBytes", "GodwitJSON", "GodwitKeys", "GodwitPredicates", "GodwitSQLite", "GodwitSelector",
            "GodwitStore",
            "GodwitText", "GodwitThreads",
        ],
        swiftSettings: settings),
    .testTarget(
        name: "GodwitQueryTests",
        dependencies: [
            "GodwitBytes", "GodwitJSON", "GodwitKeys", "GodwitQuery", "GodwitSQLite", "GodwitSelector", "GodwitStore",
            "GodwitText",
            "GodwitThreads",
            "RandomMango", "SeededRandom", "TestScale",
        ],
        swiftSettings: settings),
    .target(name: "TestScale", path: "Tests/TestScale", swiftSettings: settings),
    .target(name: "ChildProcess", path: "Tests/ChildProcess", swiftSettings: settings),
    .target(name: "SeededRandom", path: "Tests/SeededRandom", swiftSettings: settings),
    .target(
        name: "RandomMango", dependencies: ["GodwitJSON", "SeededRandom"], path: "Tests/RandomMango",
        swiftSettings: settings),
    .testTarget(
        name: "GodwitSelectorTests",
        dependencies: ["GodwitJSON", "GodwitSelector", "GodwitThreads", "RandomMango", "SeededRandom"],
        swiftSettings: settings),
    .systemLibrary(
        name: "CZlib", path: "Sources/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .target(name: "GodwitGzip", dependencies: ["CZlib"], swiftSettings: settings),
    .testTarget(name: "GodwitGzipTests", dependencies: ["GodwitGzip"], swiftSettings: settings),
    .target(name: "GodwitMultipart", dependencies: ["GodwitBytes"], swiftSettings: settings),
    .testTarget(
        name: "GodwitMultipartTests", dependencies: ["GodwitMultipart", "SeededRandom"], swiftSettings: settings),
    .target(name: "CJavaScriptCore"),
    .target(name: "CScriptRuntime"),
    .target(name: "CWorker"),
    .target(
        name: "GodwitScript",
        dependencies: [
            "CJavaScriptCore", "CScriptRuntime", "CWorker", "GodwitBytes", "GodwitJSON", "GodwitStore", "GodwitThreads",
        ],
        swiftSettings: settings
    ),
    .executableTarget(
        name: "ScriptDriver", dependencies: ["GodwitScript"], path: "Tests/ScriptDriver", swiftSettings: settings),
    .testTarget(
        name: "GodwitScriptTests",
        dependencies: ["GodwitJSON", "GodwitScript", "GodwitStore", "GodwitThreads", "ScriptDriver", "TestScale"],
        swiftSettings: settings),
    .target(name: "CFaultDisk", dependencies: ["CSQLite"]),
    .target(
        name: "GodwitTesting",
        dependencies: ["CFaultDisk", "GodwitKeys", "GodwitQuery", "GodwitStore", "GodwitThreads"],
        swiftSettings: settings),
    .testTarget(
        name: "GodwitTestingTests",
        dependencies: ["GodwitJSON", "GodwitKeys", "GodwitStore", "GodwitTesting", "TestScale"],
        swiftSettings: settings),
    .testTarget(name: "GodwitJSONTests", dependencies: ["GodwitJSON", "SeededRandom"], swiftSettings: settings),
    .testTarget(
        name: "GodwitSQLiteTests", dependencies: ["CPageCipher", "GodwitSQLite", "ProcessMemory"],
        exclude: ["Fixtures"],
        swiftSettings: settings),
    .executableTarget(
        name: "CipherDriver", dependencies: ["GodwitJSON", "GodwitKeys", "GodwitQuery", "GodwitSQLite", "GodwitStore"],
        path: "Tests/CipherDriver", swiftSettings: settings),
    .testTarget(
        name: "GodwitStoreTests",
        dependencies: [
            "GodwitBytes", "GodwitJSON", "GodwitKeys", "GodwitSQLite", "GodwitStore", "GodwitThreads", "TestScale",
            "SeededRandom",
        ],
        swiftSettings: settings),
]

/// The targets above the engine: replication, the library's product, the server, the examples and the command.
let house: [Target] = [
    .target(
        name: "GodwitClient",
        dependencies: [
            "GodwitBytes", "GodwitFiles", "GodwitGzip", "GodwitJSON", "GodwitMultipart", "GodwitQuery", "GodwitStore",
            "GodwitText", "GodwitThreads",
        ],
        swiftSettings: settings
    ),
    .target(
        name: "GodwitSync",
        dependencies: [
            "GodwitBytes", "GodwitClient", "GodwitGzip", "GodwitJSON", "GodwitMultipart", "GodwitQuery",
            "GodwitSelector",
            "GodwitStore", "GodwitThreads",
        ],
        swiftSettings: settings
    ),
    .target(
        name: "GodwitCloudantImport",
        dependencies: [
            "CCrypto", "GodwitBytes", "GodwitClient", "GodwitFiles", "GodwitGzip", "GodwitJSON", "GodwitKeys",
            "GodwitQuery", "GodwitSQLite", "GodwitStore", "GodwitSync", "GodwitThreads",
        ],
        swiftSettings: settings),
    .target(name: "CAnswerParameters", exclude: ["health.json"]),
    .target(
        name: "GodwitAnswers",
        dependencies: [
            "CAnswerParameters", "GodwitFiles", "GodwitGzip", "GodwitJSON", "GodwitQuery", "GodwitStore", "GodwitText",
        ],
        swiftSettings: settings),
    .testTarget(
        name: "GodwitAnswersTests", dependencies: ["GodwitAnswers", "GodwitJSON", "GodwitStore", "GodwitTesting"],
        swiftSettings: settings),
    .target(name: "CGEOS"),
    .target(name: "CPROJ"),
    .target(
        name: "GodwitGeo", dependencies: ["CGEOS", "CPROJ", "GodwitJSON", "GodwitThreads"], swiftSettings: settings),
    .target(
        name: "GodwitPlaces",
        dependencies: [
            "CSQLite", "GodwitBytes", "GodwitClient", "GodwitGeo", "GodwitJSON", "GodwitQuery", "GodwitSQLite",
            "GodwitSelector", "GodwitStore", "GodwitSync", "GodwitThreads",
        ],
        swiftSettings: settings),
    .testTarget(
        name: "GodwitPlacesTests",
        dependencies: [
            "GodwitGeo", "GodwitJSON", "GodwitKeys", "GodwitPlaces", "GodwitQuery", "GodwitSQLite", "GodwitSelector",
            "GodwitStore", "TestScale",
        ],
        swiftSettings: settings),
    .executableTarget(
        name: "GeoDriver", dependencies: ["GodwitGeo", "GodwitJSON"], path: "Tests/GeoDriver", swiftSettings: settings),
    .testTarget(
        name: "GodwitGeoTests", dependencies: ["GodwitGeo", "GodwitJSON", "TestScale"],
        exclude: ["Data"], swiftSettings: settings),
    .target(
        name: "GodwitExchange",
        dependencies: [
            "GodwitBytes", "GodwitGeo", "GodwitJSON", "GodwitSelector", "GodwitStore",
        ],
        swiftSettings: settings),
    .testTarget(
        name: "GodwitExchangeTests", dependencies: ["GodwitExchange", "GodwitJSON", "GodwitStore"],
        swiftSettings: settings),
    .target(
        name: "GodwitViews",
        dependencies: [
            "GodwitJSON", "GodwitKeys", "GodwitPlaces", "GodwitQuery", "GodwitSQLite", "GodwitScript", "GodwitSelector",
            "GodwitStore", "GodwitText", "GodwitThreads",
        ],
        swiftSettings: settings
    ),
    .testTarget(
        name: "GodwitViewsTests",
        dependencies: [
            "GodwitGeo", "GodwitJSON", "GodwitKeys", "GodwitPlaces", "GodwitQuery", "GodwitSQLite", "GodwitScript",
            "GodwitSelector", "GodwitStore", "GodwitText", "GodwitThreads", "GodwitViews", "RandomMango",
            "ScriptDriver", "SeededRandom", "TestScale",
        ],
        swiftSettings: settings),
    .target(
        name: "GodwitClientNIO",
        dependencies: [
            "GodwitClient", "GodwitThreads",
            .product(name: "AsyncHTTPClient", package: "async-http-client"),
            .product(name: "NIOCore", package: "swift-nio"),
            .product(name: "NIOHTTP1", package: "swift-nio"),
            .product(name: "NIOPosix", package: "swift-nio"),
            .product(name: "NIOSSL", package: "swift-nio-ssl"),
        ],
        swiftSettings: settings
    ),
    .target(
        name: "GodwitAccess",
        dependencies: ["GodwitBytes", "GodwitClient", "GodwitJSON", "GodwitKeys", "GodwitStore", "GodwitThreads"],
        swiftSettings: settings),
    .target(
        name: "GodwitURLSession", dependencies: ["GodwitClient", "GodwitThreads"], swiftSettings: settings),
    .target(
        name: "GodwitDatabase",
        dependencies: [
            "GodwitAccess", "GodwitClient", "GodwitJSON", "GodwitKeys", "GodwitPredicates", "GodwitQuery",
            "GodwitStore",
            "GodwitSync", "GodwitText",
        ],
        swiftSettings: settings),
    .target(
        name: "Godwit",
        dependencies: [
            "GodwitAccess", "GodwitClient", "GodwitDatabase", "GodwitStore", "GodwitSync", "GodwitURLSession",
        ],
        swiftSettings: settings),
    .target(name: "GodwitCloudantCompat", dependencies: ["Godwit"], swiftSettings: settings),
    .executableTarget(
        name: "CloudantSteps", dependencies: ["Godwit", "GodwitCloudantCompat"], path: "Examples/CloudantCompat/Steps",
        packageAccess: false, swiftSettings: settings),
    .executableTarget(
        name: "ClaimsApp", dependencies: ["GodwitCloudantCompat"], path: "Examples/CloudantCompat/Claims",
        packageAccess: false, swiftSettings: settings),
    .executableTarget(
        name: "UsersAdapter",
        dependencies: [
            "Godwit", "GodwitHost", "GodwitServer",
            .product(name: "ArgumentParser", package: "swift-argument-parser"),
            .product(name: "HTTPTypes", package: "swift-http-types"),
        ],
        path: "Examples/UsersAdapter", packageAccess: false, swiftSettings: settings),
    .testTarget(
        name: "GodwitCloudantCompatTests", dependencies: ["Godwit", "GodwitCloudantCompat"], swiftSettings: settings),
    .target(
        name: "GodwitServer",
        dependencies: [
            "CBaseMap", "CMapAssets", "GodwitBytes", "GodwitClient", "GodwitClientNIO", "GodwitGeo", "GodwitGzip",
            "GodwitJSON",
            "GodwitMultipart", "GodwitPlaces", "GodwitQuery", "GodwitSQLite", "GodwitScript", "GodwitSelector",
            "GodwitStore", "GodwitSync", "GodwitText", "GodwitThreads", "GodwitViews",
            .product(name: "Crypto", package: "swift-crypto"),
            .product(name: "CryptoExtras", package: "swift-crypto"),
            .product(name: "HTTPTypes", package: "swift-http-types"),
            .product(name: "HummingbirdCore", package: "hummingbird"),
            .product(name: "HummingbirdHTTP2", package: "hummingbird"),
            .product(name: "JWTKit", package: "jwt-kit"),
            .product(name: "Logging", package: "swift-log"),
            .product(name: "NIOCore", package: "swift-nio"),
            .product(name: "NIOHTTP1", package: "swift-nio"),
            .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
            .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
            .product(name: "NIOPosix", package: "swift-nio"),
            .product(name: "NIOSSL", package: "swift-nio-ssl"),
            .product(name: "NIOWebSocket", package: "swift-nio"),
            .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        ],
        swiftSettings: settings
    ),
    .target(name: "CCurl"),
    .target(
        name: "GodwitMail", dependencies: ["CCurl", "GodwitBytes", "GodwitClient", "GodwitStore"],
        swiftSettings: settings),
    .testTarget(name: "GodwitMailTests", dependencies: ["GodwitMail"], swiftSettings: settings),
    .target(
        name: "GodwitIdentity",
        dependencies: [
            "GodwitBytes", "GodwitClient", "GodwitJSON",
            .product(name: "Crypto", package: "swift-crypto"),
            .product(name: "JWTKit", package: "jwt-kit"),
        ],
        swiftSettings: settings
    ),
    .testTarget(
        name: "GodwitIdentityTests", dependencies: ["GodwitIdentity", "GodwitJSON"], swiftSettings: settings),
    .target(
        name: "GodwitBackend",
        dependencies: [
            "GodwitBytes", "GodwitClient", "GodwitClientNIO", "GodwitIdentity", "GodwitJSON", "GodwitMail",
            "GodwitQuery", "GodwitSelector", "GodwitServer", "GodwitStore", "GodwitSync", "GodwitText", "GodwitThreads",
            .product(name: "Crypto", package: "swift-crypto"),
            .product(name: "CryptoExtras", package: "swift-crypto"),
            .product(name: "HTTPTypes", package: "swift-http-types"),
            .product(name: "JWTKit", package: "jwt-kit"),
            .product(name: "Logging", package: "swift-log"),
        ],
        swiftSettings: settings
    ),
    .target(
        name: "GodwitObjectStore",
        dependencies: ["GodwitBytes", "GodwitClient", "GodwitFiles", "GodwitJSON", "GodwitStore", "GodwitThreads"],
        swiftSettings: settings),
    .testTarget(
        name: "GodwitObjectStoreTests",
        dependencies: ["GodwitBytes", "GodwitObjectStore", "GodwitThreads"], swiftSettings: settings),
    .target(
        name: "GodwitObjectFiles",
        dependencies: [
            "GodwitBytes", "GodwitFiles", "GodwitJSON", "GodwitKeys", "GodwitObjectStore", "GodwitSQLite",
            "GodwitStore",
            "GodwitThreads",
        ],
        swiftSettings: settings),
    .target(name: "CChecksums"),
    .target(
        name: "GodwitObjects",
        dependencies: [
            "CChecksums", "CZlib", "GodwitBytes", "GodwitClient", "GodwitJSON", "GodwitMultipart", "GodwitObjectFiles",
            "GodwitObjectStore", "GodwitServer", "GodwitStore", "GodwitThreads",
            .product(name: "Crypto", package: "swift-crypto"),
            .product(name: "HTTPTypes", package: "swift-http-types"),
            .product(name: "Logging", package: "swift-log"),
            .product(name: "NIOCore", package: "swift-nio"),
        ],
        swiftSettings: settings
    ),
    .testTarget(
        name: "GodwitObjectsTests",
        dependencies: [
            "GodwitBytes", "GodwitClient", "GodwitClientNIO", "GodwitKeys", "GodwitObjectFiles", "GodwitObjectStore",
            "GodwitObjects", "GodwitServer", "GodwitStore",
            .product(name: "Logging", package: "swift-log"),
        ],
        swiftSettings: settings),
    .target(
        name: "GodwitHost",
        dependencies: [
            "GodwitBackend", "GodwitClient", "GodwitConsole", "GodwitFiles", "GodwitJSON", "GodwitKeys",
            "GodwitObjects", "GodwitScript", "GodwitServer", "GodwitStore", "GodwitThreads", "GodwitViews",
            .product(name: "ArgumentParser", package: "swift-argument-parser"),
            .product(name: "Configuration", package: "swift-configuration"),
            .product(name: "Logging", package: "swift-log"),
            .product(name: "NIOCore", package: "swift-nio"),
            .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            .product(name: "UnixSignals", package: "swift-service-lifecycle"),
        ],
        swiftSettings: settings
    ),
    .executableTarget(
        name: "FirstSteps", dependencies: ["Godwit"], path: "Examples/FirstSteps", packageAccess: false,
        swiftSettings: settings),
    .executableTarget(
        name: "RemoteSteps", dependencies: ["Godwit"], path: "Examples/RemoteSteps", packageAccess: false,
        swiftSettings: settings),
    .executableTarget(
        name: "AccessSteps", dependencies: ["Godwit"], path: "Examples/AccessSteps", packageAccess: false,
        swiftSettings: settings),
    .executableTarget(
        name: "ReplicationSteps", dependencies: ["Godwit"], path: "Examples/ReplicationSteps", packageAccess: false,
        swiftSettings: settings),
    .executableTarget(
        name: "QuerySteps", dependencies: ["Godwit"], path: "Examples/QuerySteps", packageAccess: false,
        swiftSettings: settings),
    .executableTarget(
        name: "PlaceSteps", dependencies: ["Godwit", "GodwitPlaces"], path: "Examples/PlaceSteps",
        packageAccess: false,
        swiftSettings: settings),
    .executableTarget(
        name: "ViewSteps", dependencies: ["Godwit", "GodwitScript", "GodwitViews"], path: "Examples/ViewSteps",
        packageAccess: false, swiftSettings: settings),
    .executableTarget(
        name: "EncryptionSteps", dependencies: ["Godwit"], path: "Examples/EncryptionSteps", packageAccess: false,
        swiftSettings: settings),
    .executableTarget(
        name: "KeySteps", dependencies: ["Godwit"], path: "Examples/KeySteps", packageAccess: false,
        swiftSettings: settings),
    .target(name: "CBaseMap", exclude: ["Data", "Page"]),
    .target(name: "CMapAssets", exclude: ["Page"]),
    .target(name: "CConsoleAssets", exclude: ["Page"]),
    .target(
        name: "GodwitConsole",
        dependencies: [
            "CConsoleAssets", "GodwitJSON", "GodwitServer",
            .product(name: "Crypto", package: "swift-crypto"),
            .product(name: "HTTPTypes", package: "swift-http-types"),
        ],
        swiftSettings: settings),
    .systemLibrary(
        name: "CTurboJPEG", path: "Examples/Device/CTurboJPEG", pkgConfig: "libturbojpeg",
        providers: [.apt(["libturbojpeg0-dev"])]),
    .systemLibrary(
        name: "CPNG", path: "Examples/Device/CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
    .systemLibrary(
        name: "CExif", path: "Examples/Device/CExif", pkgConfig: "libexif", providers: [.apt(["libexif-dev"])]),
    .target(name: "CPhotoPixels", path: "Examples/Device/CPhotoPixels"),
    .target(
        name: "ExampleWorkers", dependencies: ["CWorker"], path: "Examples/Workers", packageAccess: false,
        swiftSettings: settings),
    .systemLibrary(
        name: "CEspeak", path: "Examples/Speech/CEspeak", pkgConfig: "espeak-ng",
        providers: [.apt(["libespeak-ng-dev"])]),
    .systemLibrary(
        name: "COgg", path: "Examples/Speech/COgg", pkgConfig: "ogg", providers: [.apt(["libogg-dev"])]),
    .systemLibrary(
        name: "COpus", path: "Examples/Speech/COpus", pkgConfig: "opus", providers: [.apt(["libopus-dev"])]),
    .systemLibrary(
        name: "CPocketSphinx", path: "Examples/Speech/CPocketSphinx", pkgConfig: "pocketsphinx",
        providers: [.apt(["libpocketsphinx-dev"])]),
    .systemLibrary(
        name: "CSoxr", path: "Examples/Speech/CSoxr", pkgConfig: "soxr", providers: [.apt(["libsoxr-dev"])]),
    .target(
        name: "GodwitSpeech",
        dependencies: [
            .target(name: "CEspeak", condition: .when(platforms: [.linux])), "COgg", "COpus",
            .target(name: "CPocketSphinx", condition: .when(platforms: [.linux])), "CSoxr", "CWorker", "ExampleWorkers",
        ],
        path: "Examples/Speech/Speech", packageAccess: false, swiftSettings: settings),
    .target(
        name: "GodwitPhotos",
        dependencies: ["CExif", "CPNG", "CPhotoPixels", "CTurboJPEG", "CWorker", "ExampleWorkers"],
        path: "Examples/Device/Photos", packageAccess: false, swiftSettings: settings),
    .target(
        name: "GeoPixCore",
        dependencies: [
            "GodwitDatabase", "GodwitDeviceKit", "GodwitJSON", "GodwitQuery", "GodwitStore",
            .product(name: "Crypto", package: "swift-crypto"),
        ],
        path: "Examples/GeoPix/Core", packageAccess: false, swiftSettings: settings),
    .target(
        name: "EmbeddedFiles", path: "Examples/EmbeddedFiles", packageAccess: false, swiftSettings: settings),
    .target(name: "CGeoPixAssets", path: "Examples/GeoPix/CGeoPixAssets"),
    .target(
        name: "GeoPixDevice",
        dependencies: [
            "CGeoPixAssets", "EmbeddedFiles", "GeoPixCore", "GodwitDatabase", "GodwitDeviceKit", "GodwitDeviceProcess",
            "GodwitJSON", "GodwitServer",
        ],
        path: "Examples/GeoPix/Device", packageAccess: false, swiftSettings: settings),
    .target(
        name: "GeoPixServer",
        dependencies: [
            "EmbeddedFiles", "ExampleServices", "GeoPixCore", "GeoPixDevice", "GodwitBackend", "GodwitClient",
            "GodwitClientNIO", "GodwitIdentity", "GodwitJSON", "GodwitPhotos", "GodwitQuery", "GodwitServer",
            "GodwitStore", "GodwitSync",
            .product(name: "HTTPTypes", package: "swift-http-types"),
        ],
        path: "Examples/GeoPix/Server", packageAccess: false, swiftSettings: settings),
    .executableTarget(
        name: "GeoPixCommand",
        dependencies: [
            "ExampleServices", "GeoPixCore", "GeoPixDevice", "GeoPixServer", "GodwitBackend", "GodwitClientNIO",
            "GodwitDatabase", "GodwitDeviceDemo", "GodwitDeviceKit", "GodwitDevicePhotos", "GodwitDeviceProcess",
            "GodwitHost", "GodwitPhotos", "GodwitServer",
            .product(name: "ArgumentParser", package: "swift-argument-parser"),
        ],
        path: "Examples/GeoPix/Command", packageAccess: false, swiftSettings: settings),
    .target(
        name: "ExampleServices", dependencies: ["GodwitClient", "GodwitJSON", "GodwitObjectStore"],
        path: "Examples/Services", packageAccess: false, swiftSettings: settings),
    .target(name: "CBluePicAssets", path: "Examples/BluePic/CBluePicAssets"),
    .target(
        name: "BluePicServer",
        dependencies: [
            "CBluePicAssets", "EmbeddedFiles", "ExampleServices", "GodwitBackend", "GodwitJSON", "GodwitObjectStore",
            "GodwitPhotos", "GodwitQuery", "GodwitServer", "GodwitStore", "GodwitThreads", "GodwitViews",
            .product(name: "Crypto", package: "swift-crypto"),
            .product(name: "HTTPTypes", package: "swift-http-types"),
            .product(name: "Logging", package: "swift-log"),
        ],
        path: "Examples/BluePic/Server", packageAccess: false, swiftSettings: settings),
    .target(
        name: "BluePicCore",
        dependencies: ["GodwitDatabase", "GodwitDeviceKit", .product(name: "Crypto", package: "swift-crypto")],
        path: "Examples/BluePic/Core", packageAccess: false, swiftSettings: settings),
    .target(
        name: "BluePicDevice",
        dependencies: [
            "BluePicCore", "CBluePicAssets", "EmbeddedFiles", "GodwitDatabase", "GodwitDeviceKit",
            "GodwitDeviceProcess",
        ],
        path: "Examples/BluePic/Device", packageAccess: false, swiftSettings: settings),
    .executableTarget(
        name: "BluePicCommand",
        dependencies: [
            "BluePicCore", "BluePicDevice", "BluePicServer", "ExampleServices", "GodwitBackend", "GodwitClient",
            "GodwitClientNIO", "GodwitDatabase", "GodwitDeviceDemo", "GodwitDeviceKit", "GodwitDevicePhotos",
            "GodwitDeviceProcess", "GodwitHost", "GodwitJSON", "GodwitObjects", "GodwitPhotos", "GodwitServer",
            .product(name: "ArgumentParser", package: "swift-argument-parser"),
        ],
        path: "Examples/BluePic/Command", packageAccess: false, swiftSettings: settings),
    .target(name: "CLocationTrackerAssets", path: "Examples/LocationTracker/CLocationTrackerAssets"),
    .target(
        name: "GodwitDeviceKit",
        dependencies: [
            "GodwitAccess", "GodwitClient", "GodwitExchange", "GodwitGeo", "GodwitJSON", "GodwitKeys", "GodwitStore",
            "GodwitSync", "GodwitThreads",
            .product(name: "Crypto", package: "swift-crypto"),
            .product(name: "NIOCore", package: "swift-nio"),
            .product(name: "NIOPosix", package: "swift-nio"),
        ],
        path: "Examples/Device/Kit", packageAccess: false, swiftSettings: settings),
    .target(
        name: "GodwitDeviceProcess",
        dependencies: [
            "EmbeddedFiles", "GodwitAccess", "GodwitDeviceKit", "GodwitHost", "GodwitJSON",
            .product(name: "HTTPTypes", package: "swift-http-types"),
            .product(name: "HummingbirdCore", package: "hummingbird"),
            .product(name: "Logging", package: "swift-log"),
            .product(name: "NIOCore", package: "swift-nio"),
            .product(name: "NIOPosix", package: "swift-nio"),
            .product(name: "UnixSignals", package: "swift-service-lifecycle"),
        ],
        path: "Examples/Device/Process", packageAccess: false, swiftSettings: settings),
    .target(
        name: "GodwitDevicePhotos", dependencies: ["GodwitDeviceKit", "GodwitPhotos"],
        path: "Examples/Device/PhotoProcessing", packageAccess: false, swiftSettings: settings),
    .target(
        name: "GodwitDeviceDemo",
        dependencies: [
            "GodwitDeviceKit", "GodwitHost",
            .product(name: "ArgumentParser", package: "swift-argument-parser"),
            .product(name: "UnixSignals", package: "swift-service-lifecycle"),
        ],
        path: "Examples/Device/Demo", packageAccess: false, swiftSettings: settings),
    .target(
        name: "LocationTrackerClient",
        dependencies: [
            "GodwitClient", "GodwitClientNIO", "GodwitDatabase", "GodwitDeviceKit", "GodwitGeo", "GodwitJSON",
            "GodwitKeys", "GodwitPlaces", "GodwitStore", "GodwitSync",
            .product(name: "Crypto", package: "swift-crypto"),
        ],
        path: "Examples/LocationTracker/Client", packageAccess: false,
        swiftSettings: settings
    ),
    .executableTarget(
        name: "LocationTrackerCommand",
        dependencies: [
            "GodwitBackend", "GodwitDatabase", "GodwitDeviceKit", "GodwitHost", "GodwitPlaces", "LocationTracker",
            "LocationTrackerClient",
            .product(name: "ArgumentParser", package: "swift-argument-parser"),
            .product(name: "UnixSignals", package: "swift-service-lifecycle"),
        ],
        path: "Examples/LocationTracker/Command", packageAccess: false,
        swiftSettings: settings
    ),
    .target(
        name: "LocationTracker",
        dependencies: [
            "CLocationTrackerAssets", "GodwitBackend", "GodwitClient", "GodwitClientNIO", "GodwitJSON", "GodwitKeys",
            "GodwitDeviceKit", "GodwitServer", "GodwitStore", "GodwitSync", "LocationTrackerClient",
            .product(name: "HTTPTypes", package: "swift-http-types"),
        ],
        path: "Examples/LocationTracker/LocationTracker", packageAccess: false,
        swiftSettings: settings
    ),
    .executableTarget(
        name: "GodwitCLI",
        dependencies: [
            "GodwitBackend", "GodwitBytes", "GodwitClient", "GodwitClientNIO", "GodwitCloudantImport", "GodwitDatabase",
            "GodwitExchange", "GodwitConsole", "GodwitFiles", "GodwitHost", "GodwitJSON", "GodwitKeys",
            "GodwitObjectFiles", "GodwitObjectStore", "GodwitObjects", "GodwitQuery", "GodwitSelector", "GodwitServer",
            "GodwitStore", "GodwitSync", "GodwitThreads", "GodwitViews", "LocationTracker",
            .product(name: "ArgumentParser", package: "swift-argument-parser"),
            .product(name: "AsyncHTTPClient", package: "async-http-client"),
            .product(name: "NIOCore", package: "swift-nio"),
            .product(name: "NIOHTTP1", package: "swift-nio"),
            .product(name: "UnixSignals", package: "swift-service-lifecycle"),
        ],
        swiftSettings: settings
    ),
    .executableTarget(
        name: "GodwitBenchmarks",
        dependencies: [
            "GodwitBackend", "GodwitClient", "GodwitClientNIO", "GodwitGeo", "GodwitJSON", "GodwitKeys",
            "GodwitPlaces", "GodwitQuery", "GodwitSQLite", "GodwitScript", "GodwitServer", "GodwitStore",
            "GodwitSync", "GodwitTesting", "GodwitThreads", "GodwitViews",
            .product(name: "HTTPTypes", package: "swift-http-types"),
            .product(name: "HummingbirdCore", package: "hummingbird"),
            .product(name: "Logging", package: "swift-log"),
            .product(name: "NIOCore", package: "swift-nio"),
            .product(name: "NIOPosix", package: "swift-nio"),
        ],
        path: "Benchmarks",
        exclude: [
            "README.md", "backups.py", "geopix.py", "objects.py", "base_map.py", "console.py", "instructions.c",
            "instructions.py",
            "logins.py",
            "replication.py",
        ],
        swiftSettings: settings
    ),
    .executableTarget(
        name: "CrashDriver",
        dependencies: [
            "GodwitJSON", "GodwitKeys", "GodwitPlaces", "GodwitQuery", "GodwitScript", "GodwitStore", "GodwitThreads",
            "GodwitViews",
        ],
        path: "Tests/CrashDriver", swiftSettings: settings),
    .testTarget(
        name: "GodwitCrashTests",
        dependencies: [
            "ChildProcess", "CrashDriver", "GodwitJSON", "GodwitKeys", "GodwitQuery", "GodwitScript", "GodwitStore",
            "GodwitViews",
        ],
        swiftSettings: settings),
    .testTarget(
        name: "GodwitSyncTests",
        dependencies: [
            "ChildProcess", "GodwitBytes", "GodwitClient", "GodwitClientNIO", "GodwitGeo", "GodwitGzip",
            "GodwitJSON", "GodwitKeys", "GodwitMultipart", "GodwitPlaces", "GodwitPredicates", "GodwitQuery",
            "GodwitScript", "GodwitSelector", "GodwitServer", "GodwitStore", "GodwitSync", "GodwitText",
            "GodwitThreads", "GodwitURLSession", "GodwitViews", "TestScale",
            .product(name: "Logging", package: "swift-log"),
        ],
        swiftSettings: settings
    ),
    .target(
        name: "ServerTesting",
        dependencies: [
            "GodwitJSON", "GodwitQuery", "GodwitServer", "GodwitStore",
            .product(name: "HTTPTypes", package: "swift-http-types"),
            .product(name: "HummingbirdCore", package: "hummingbird"),
            .product(name: "Logging", package: "swift-log"),
            .product(name: "NIOCore", package: "swift-nio"),
            .product(name: "NIOEmbedded", package: "swift-nio"),
            .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        ],
        path: "Tests/ServerTesting",
        swiftSettings: settings
    ),
    .testTarget(
        name: "GodwitServerTests",
        dependencies: [
            "GodwitJSON", "GodwitQuery", "GodwitServer", "GodwitStore", "ServerTesting", "TestScale",
            .product(name: "HTTPTypes", package: "swift-http-types"),
            .product(name: "HummingbirdCore", package: "hummingbird"),
            .product(name: "Logging", package: "swift-log"),
            .product(name: "NIOCore", package: "swift-nio"),
            .product(name: "NIOPosix", package: "swift-nio"),
        ],
        swiftSettings: settings
    ),
    .testTarget(
        name: "GodwitBackendTests",
        dependencies: [
            "GodwitBackend", "GodwitBytes", "GodwitIdentity", "GodwitJSON", "GodwitServer", "GodwitStore",
            "GodwitThreads", "ServerTesting",
            .product(name: "JWTKit", package: "jwt-kit"),
            .product(name: "HTTPTypes", package: "swift-http-types"),
        ],
        swiftSettings: settings),
    .testTarget(
        name: "GodwitConsoleTests",
        dependencies: [
            "GodwitConsole", "GodwitJSON", "GodwitServer", "ServerTesting",
            .product(name: "HTTPTypes", package: "swift-http-types"),
        ],
        swiftSettings: settings),
    .target(
        name: "BluelistCore", dependencies: ["GodwitDatabase", "GodwitDeviceKit"], path: "Examples/Bluelist/Core",
        packageAccess: false, swiftSettings: settings),
    .target(name: "CConversationAssets", path: "Examples/Conversation/CConversationAssets"),
    .target(
        name: "ConversationServer",
        dependencies: [
            "CConversationAssets", "EmbeddedFiles", "ExampleServices", "GodwitAnswers", "GodwitBackend", "GodwitJSON",
            "GodwitQuery", "GodwitServer", "GodwitSpeech", "GodwitStore",
            .product(name: "HTTPTypes", package: "swift-http-types"),
            .product(name: "Logging", package: "swift-log"),
        ],
        path: "Examples/Conversation/Server", packageAccess: false, swiftSettings: settings),
    .target(
        name: "ConversationCore",
        dependencies: ["GodwitAnswers", "GodwitDatabase", "GodwitDeviceKit"], path: "Examples/Conversation/Core",
        packageAccess: false, swiftSettings: settings),
    .target(
        name: "ConversationDevice",
        dependencies: [
            "CConversationAssets", "ConversationCore", "EmbeddedFiles", "GodwitDatabase", "GodwitDeviceKit",
            "GodwitDeviceProcess", "GodwitSpeech",
        ],
        path: "Examples/Conversation/Device", packageAccess: false, swiftSettings: settings),
    .executableTarget(
        name: "ConversationCommand",
        dependencies: [
            "ConversationCore", "ConversationDevice", "ConversationServer", "GodwitAnswers", "GodwitBackend",
            "GodwitClientNIO", "GodwitDatabase", "GodwitDeviceDemo", "GodwitDeviceKit", "GodwitDeviceProcess",
            "GodwitHost", "GodwitJSON", "GodwitServer", "GodwitSpeech",
            .product(name: "ArgumentParser", package: "swift-argument-parser"),
        ],
        path: "Examples/Conversation/Command", packageAccess: false, swiftSettings: settings),
    .target(name: "CBluelistAssets", path: "Examples/Bluelist/CBluelistAssets"),
    .target(
        name: "BluelistDevice",
        dependencies: [
            "BluelistCore", "CBluelistAssets", "EmbeddedFiles", "GodwitDatabase", "GodwitDeviceKit",
            "GodwitDeviceProcess",
        ],
        path: "Examples/Bluelist/Device", packageAccess: false, swiftSettings: settings),
    .executableTarget(
        name: "BluelistCommand",
        dependencies: [
            "BluelistCore", "BluelistDevice", "GodwitBackend", "GodwitClientNIO", "GodwitDatabase", "GodwitDeviceDemo",
            "GodwitDeviceKit", "GodwitDeviceProcess", "GodwitHost", "GodwitJSON", "GodwitServer",
            .product(name: "ArgumentParser", package: "swift-argument-parser"),
        ],
        path: "Examples/Bluelist/Command", packageAccess: false, swiftSettings: settings),
    .testTarget(
        name: "BluelistTests",
        dependencies: ["BluelistCore", "GodwitDatabase", "GodwitDeviceKit", "GodwitJSON", "GodwitStore"],
        path: "Examples/Bluelist/Tests", swiftSettings: settings),
    .testTarget(
        name: "GodwitAccessTests",
        dependencies: [
            "BluelistCore", "GodwitAccess", "GodwitBackend", "GodwitClient", "GodwitClientNIO", "GodwitIdentity",
            "GodwitJSON",
            "GodwitKeys", "GodwitQuery", "GodwitServer", "GodwitStore", "GodwitSync", "GodwitThreads",
            .product(name: "Logging", package: "swift-log"),
        ],
        swiftSettings: settings),
    .testTarget(
        name: "GodwitSpeechTests", dependencies: ["GodwitSpeech"], path: "Examples/Speech/Tests",
        swiftSettings: settings),
    .testTarget(
        name: "GodwitDeviceTests",
        dependencies: [
            "ExampleWorkers", "GodwitClient", "GodwitDeviceKit", "GodwitDeviceProcess", "GodwitPhotos", "GodwitSync",
            .product(name: "HTTPTypes", package: "swift-http-types"),
        ],
        path: "Examples/Device/Tests", swiftSettings: settings),
    .testTarget(
        name: "BluePicTests", dependencies: ["BluePicCore", "GodwitDatabase", "GodwitDeviceKit"],
        path: "Examples/BluePic/Tests", swiftSettings: settings),
    .testTarget(
        name: "GeoPixTests", dependencies: ["GeoPixCore", "GodwitDatabase", "GodwitDeviceKit"],
        path: "Examples/GeoPix/Tests", swiftSettings: settings),
    .testTarget(
        name: "LocationTrackerTests",
        dependencies: ["GodwitDeviceKit", "LocationTrackerClient", "LocationTracker"],
        path: "Examples/LocationTracker/LocationTrackerTests",
        swiftSettings: settings
    ),
    .testTarget(
        name: "LocationTrackerClientTests",
        dependencies: [
            "ChildProcess", "GodwitClient", "GodwitDatabase", "GodwitDeviceKit", "GodwitJSON", "GodwitKeys",
            "GodwitPlaces",
            "GodwitSync", "GodwitThreads", "LocationTrackerClient",
        ],
        path: "Examples/LocationTracker/ClientTests",
        swiftSettings: settings
    ),
]

/// `GODWIT_ENGINE_ONLY=1` leaves the engine and its tests alone in the package, so that a sanitizer's build is small.
let engineOnly = Context.environment["GODWIT_ENGINE_ONLY"] != nil

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
    targets: engine + (engineOnly ? [] : house),
    swiftLanguageModes: [.v6],
    cLanguageStandard: .c2x
)
