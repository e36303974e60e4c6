// swift-tools-version: 6.2

import PackageDescription

// A program with a datastore, and with the trait that GODWIT_TRAIT names: `Portable` or `SystemLibraries`.
let package = Package(
    name: "portable",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(
            name: "godwit", path: "../..", traits: [.trait(name: Context.environment["GODWIT_TRAIT"] ?? "Portable")])
    ],
    targets: [
        .executableTarget(
            name: "Answers", dependencies: [.product(name: "GodwitDatabase", package: "godwit")], path: "Answers"),
        .executableTarget(
            name: "Start", dependencies: [.product(name: "GodwitDatabase", package: "godwit")], path: "Start"),
    ],
    swiftLanguageModes: [.v6]
)
