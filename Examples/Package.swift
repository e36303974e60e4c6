// swift-tools-version: 6.2

import PackageDescription

/// Speech on Apple's systems has other engines.
let linuxAlone: TargetDependencyCondition? = .when(platforms: [.linux])

// MARK: - The parts that the applications share

let kit: [Target] = [
    .systemLibrary(
        name: "CTurboJPEG", path: "Kit/C/CTurboJPEG", pkgConfig: "libturbojpeg",
        providers: [.apt(["libturbojpeg0-dev"])]),
    .systemLibrary(name: "CPNG", path: "Kit/C/CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
    .systemLibrary(name: "CExif", path: "Kit/C/CExif", pkgConfig: "libexif", providers: [.apt(["libexif-dev"])]),
    .target(name: "CPhotoPixels", path: "Kit/C/CPhotoPixels"),
    // The pages of all applications.
    .target(name: "CExampleFiles", path: "Kit/C/CExampleFiles"),
    // The parts of an app on a device.
    .target(
        name: "DeviceKit",
        dependencies: [.godwitDatabase, .godwitGeo, .godwitExchange, .crypto, .nioCore, .nioPosix],
        path: "Kit/DeviceKit"),
    // The parts of a program: screens of devices for a browser, services for servers, processes for data from strangers.
    .target(
        name: "ProgramKit",
        dependencies: [
            "CExampleFiles", "DeviceKit", .godwitBackend, .godwitObjectStore, .godwitWorkers, .argumentParser,
            .httpTypes, .hummingbirdCore, .logging, .nioCore, .nioPosix, .unixSignals,
        ],
        path: "Kit/ProgramKit"),
    // Copies of pictures.
    .target(
        name: "PhotoKit",
        dependencies: ["CExif", "CPNG", "CPhotoPixels", "CTurboJPEG", "DeviceKit", "ProgramKit", .godwitWorkers],
        path: "Kit/PhotoKit"),
    .testTarget(
        name: "KitTests", dependencies: ["DeviceKit", "PhotoKit", "ProgramKit", .httpTypes], path: "Kit/Tests"),
]

// MARK: - The applications
// An application has a core, which an app on a device imports, a program, and tests.

let locationTracker: [Target] = [
    .target(
        name: "LocationTrackerClient",
        dependencies: ["DeviceKit", .godwitDatabase, .godwitGeo, .crypto],
        path: "LocationTracker/Core"),
    .executableTarget(
        name: "LocationTracker",
        dependencies: [
            "DeviceKit", "LocationTrackerClient", "ProgramKit", .godwitBackend, .godwitClientNIO, .godwitServer,
            .argumentParser, .httpTypes, .unixSignals,
        ],
        path: "LocationTracker/Program"),
    .testTarget(
        name: "LocationTrackerTests",
        dependencies: ["DeviceKit", "LocationTracker", "LocationTrackerClient", .godwitClientNIO],
        path: "LocationTracker/Tests"),
]

let geoPix: [Target] = [
    .target(name: "GeoPixCore", dependencies: ["DeviceKit", .godwitDatabase, .crypto], path: "GeoPix/Core"),
    .executableTarget(
        name: "GeoPix",
        dependencies: [
            "DeviceKit", "GeoPixCore", "PhotoKit", "ProgramKit", .godwitBackend, .godwitServer, .argumentParser,
            .httpTypes,
        ],
        path: "GeoPix/Program"),
    .testTarget(name: "GeoPixTests", dependencies: ["DeviceKit", "GeoPixCore"], path: "GeoPix/Tests"),
]

let bluePic: [Target] = [
    .target(name: "BluePicCore", dependencies: ["DeviceKit", .godwitDatabase, .crypto], path: "BluePic/Core"),
    .executableTarget(
        name: "BluePic",
        dependencies: [
            "BluePicCore", "DeviceKit", "PhotoKit", "ProgramKit", .godwitBackend, .godwitServer, .godwitViews,
            .argumentParser,
            .crypto, .httpTypes, .logging,
        ],
        path: "BluePic/Program"),
    .testTarget(name: "BluePicTests", dependencies: ["BluePicCore", "DeviceKit"], path: "BluePic/Tests"),
]

let bluelist: [Target] = [
    .target(name: "BluelistCore", dependencies: ["DeviceKit", .godwitDatabase], path: "Bluelist/Core"),
    .executableTarget(
        name: "Bluelist",
        dependencies: [
            "BluelistCore", "DeviceKit", "ProgramKit", .godwitBackend, .godwitServer, .argumentParser,
        ],
        path: "Bluelist/Program"),
    .testTarget(
        name: "BluelistTests",
        dependencies: ["BluelistCore", "DeviceKit", .godwitBackend, .godwitClientNIO, .godwitServer, .logging],
        path: "Bluelist/Tests"),
]

let conversation: [Target] = [
    .systemLibrary(
        name: "CEspeak", path: "Conversation/C/CEspeak", pkgConfig: "espeak-ng",
        providers: [.apt(["libespeak-ng-dev"])]),
    .systemLibrary(name: "COgg", path: "Conversation/C/COgg", pkgConfig: "ogg", providers: [.apt(["libogg-dev"])]),
    .systemLibrary(name: "COpus", path: "Conversation/C/COpus", pkgConfig: "opus", providers: [.apt(["libopus-dev"])]),
    .systemLibrary(
        name: "CPocketSphinx", path: "Conversation/C/CPocketSphinx", pkgConfig: "pocketsphinx",
        providers: [.apt(["libpocketsphinx-dev"])]),
    .systemLibrary(name: "CSoxr", path: "Conversation/C/CSoxr", pkgConfig: "soxr", providers: [.apt(["libsoxr-dev"])]),
    .systemLibrary(name: "CZip", path: "Conversation/C/CZip", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .target(name: "CAnswerData", path: "Conversation/C/CAnswerData", exclude: ["health.json"]),
    .target(
        name: "ConversationCore",
        dependencies: ["CAnswerData", "CZip", "DeviceKit", .godwitDatabase, .godwitText, .crypto],
        path: "Conversation/Core"),
    .executableTarget(
        name: "Conversation",
        dependencies: [
            .target(name: "CEspeak", condition: linuxAlone), "COgg", "COpus",
            .target(name: "CPocketSphinx", condition: linuxAlone), "CSoxr", "ConversationCore", "DeviceKit",
            "ProgramKit",
            .godwitBackend, .godwitServer, .godwitWorkers, .argumentParser, .httpTypes, .logging,
        ],
        path: "Conversation/Program"),
    .testTarget(
        name: "ConversationTests", dependencies: ["Conversation", "ConversationCore", .godwitTesting],
        path: "Conversation/Tests"),
]

// MARK: - The programs of the documentation

let steps: [Target] = [
    .executableTarget(name: "FirstSteps", dependencies: [.godwit], path: "FirstSteps"),
    .executableTarget(name: "RemoteSteps", dependencies: [.godwit], path: "RemoteSteps"),
    .executableTarget(name: "ReplicationSteps", dependencies: [.godwit], path: "ReplicationSteps"),
    .executableTarget(name: "QuerySteps", dependencies: [.godwit], path: "QuerySteps"),
    .executableTarget(name: "PlaceSteps", dependencies: [.godwit, .godwitGeo], path: "PlaceSteps"),
    .executableTarget(name: "ViewSteps", dependencies: [.godwit, .godwitViews], path: "ViewSteps"),
    .executableTarget(name: "EncryptionSteps", dependencies: [.godwit], path: "EncryptionSteps"),
    .executableTarget(name: "KeySteps", dependencies: [.godwit], path: "KeySteps"),
    .executableTarget(name: "AccessSteps", dependencies: [.godwit], path: "AccessSteps"),
    .executableTarget(
        name: "CloudantSteps", dependencies: [.godwit, .godwitCloudantCompat], path: "CloudantCompat/Steps"),
    .executableTarget(name: "ClaimsApp", dependencies: [.godwitCloudantCompat], path: "CloudantCompat/Claims"),
    .executableTarget(
        name: "UsersAdapter",
        dependencies: [.godwit, .godwitBackend, .godwitServer, .argumentParser, .httpTypes], path: "UsersAdapter"),
]

// MARK: - The package

let package = Package(
    name: "godwit-examples",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "ConversationCore", targets: ["ConversationCore"]),
        .library(name: "LocationTrackerClient", targets: ["DeviceKit", "LocationTrackerClient"]),
        .executable(name: "bluelist", targets: ["Bluelist"]),
        .executable(name: "bluepic", targets: ["BluePic"]),
        .executable(name: "conversation", targets: ["Conversation"]),
        .executable(name: "geopix", targets: ["GeoPix"]),
        .executable(name: "location-tracker", targets: ["LocationTracker"]),
    ],
    dependencies: [
        .package(name: "godwit", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: kit + locationTracker + geoPix + bluePic + bluelist + conversation + steps,
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

// As in Godwit's package: the tests ask many questions.
if Context.environment["GODWIT_OPTIMIZED"] != nil {
    for target in conversation where target.name == "ConversationCore" {
        target.swiftSettings?.append(.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug)))
    }
}

// The products of Godwit and of other packages.
extension Target.Dependency {
    static let godwit: Self = .product(name: "Godwit", package: "godwit")
    static let godwitBackend: Self = .product(name: "GodwitBackend", package: "godwit")
    static let godwitClientNIO: Self = .product(name: "GodwitClientNIO", package: "godwit")
    static let godwitCloudantCompat: Self = .product(name: "GodwitCloudantCompat", package: "godwit")
    static let godwitDatabase: Self = .product(name: "GodwitDatabase", package: "godwit")
    static let godwitExchange: Self = .product(name: "GodwitExchange", package: "godwit")
    static let godwitGeo: Self = .product(name: "GodwitGeo", package: "godwit")
    static let godwitObjectStore: Self = .product(name: "GodwitObjectStore", package: "godwit")
    static let godwitServer: Self = .product(name: "GodwitServer", package: "godwit")
    static let godwitTesting: Self = .product(name: "GodwitTesting", package: "godwit")
    static let godwitText: Self = .product(name: "GodwitText", package: "godwit")
    static let godwitViews: Self = .product(name: "GodwitViews", package: "godwit")
    static let godwitWorkers: Self = .product(name: "CWorker", package: "godwit")

    static let argumentParser: Self = .product(name: "ArgumentParser", package: "swift-argument-parser")
    static let crypto: Self = .product(name: "Crypto", package: "swift-crypto")
    static let httpTypes: Self = .product(name: "HTTPTypes", package: "swift-http-types")
    static let hummingbirdCore: Self = .product(name: "HummingbirdCore", package: "hummingbird")
    static let logging: Self = .product(name: "Logging", package: "swift-log")
    static let nioCore: Self = .product(name: "NIOCore", package: "swift-nio")
    static let nioPosix: Self = .product(name: "NIOPosix", package: "swift-nio")
    static let unixSignals: Self = .product(name: "UnixSignals", package: "swift-service-lifecycle")
}
