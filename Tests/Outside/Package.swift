// swift-tools-version: 6.2

import PackageDescription

// A package of a user of Godwit: its programs use only public API.
let package = Package(
    name: "outside",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "godwit", path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .executableTarget(
            name: "Notes", dependencies: [.product(name: "Godwit", package: "godwit")], path: "Notes"),
        .executableTarget(
            name: "Guestbook",
            dependencies: [
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Godwit", package: "godwit"),
                .product(name: "GodwitBackend", package: "godwit"),
                .product(name: "GodwitServer", package: "godwit"),
            ],
            path: "Guestbook"),
    ],
    swiftLanguageModes: [.v6]
)
