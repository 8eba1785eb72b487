// swift-tools-version:5.9
import PackageDescription

let package = Package(
    name: "Assay",
    platforms: [.iOS(.v14), .macOS(.v11), .tvOS(.v14), .watchOS(.v7)],
    products: [.library(name: "Assay", targets: ["Assay"])],
    targets: [
        .target(name: "Assay"),
        .testTarget(name: "AssayTests", dependencies: ["Assay"]),
    ]
)
