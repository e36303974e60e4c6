//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitTransport

extension S3ObjectStore {
    /// See ``ObjectStore/createContainer(_:)``.
    public func createContainer(_ name: String) async throws(ObjectError) {
        try ObjectNames.checkContainer(name)
        var request = ServiceRequest("PUT", name)
        // The request must contain the region of the bucket. The region `us-east-1` is an exception: it refuses
        // requests that contain its own name.
        if region != "us-east-1" {
            var xml = XMLWriter()
            xml.open("CreateBucketConfiguration", [(name: "xmlns", value: S3ObjectStore.namespace)])
            xml.element("LocationConstraint", region)
            xml.close()
            request.body = .bytes(xml.bytes)
        }
        do throws(ObjectError) {
            _ = try await answer(to: request)
        } catch {
            guard S3ObjectStore.isOwned(error) else { throw error }
        }
    }

    /// See ``ObjectStore/deleteContainer(_:)``.
    public func deleteContainer(_ name: String) async throws(ObjectError) {
        try ObjectNames.checkContainer(name)
        _ = try await answer(to: ServiceRequest("DELETE", name))
    }

    /// See ``ObjectStore/containers()``.
    public func containers() async throws(ObjectError) -> [String] {
        var names: [String] = []
        var request = ServiceRequest("GET")
        while true {
            let root = try element(try await answer(to: request), request)
            names += root["Buckets"]?.all("Bucket").compactMap { $0["Name"]?.text } ?? []
            guard let token = root["ContinuationToken"]?.text, !token.isEmpty,
                !ExactText.areEqual(request.query.first?.value, token)
            else { return names.sorted { ExactText($0) < ExactText($1) } }
            request.query = [(name: "continuation-token", value: token)]
        }
    }

    /// See ``ObjectStore/setPublicReading(_:of:)``. It sets the bucket's canned access control list. In AWS, such a
    /// list permits everyone only to list the objects. To permit everyone to read the objects in AWS, set a policy of
    /// the bucket by other means.
    public func setPublicReading(_ isPublic: Bool, of container: String) async throws(ObjectError) {
        try ObjectNames.checkContainer(container)
        var request = ServiceRequest("PUT", container)
        request.query = [(name: "acl", value: "")]
        request.headers = [(name: "x-amz-acl", value: isPublic ? "public-read" : "private")]
        _ = try await answer(to: request)
    }

    /// See ``ObjectStore/allowsPublicReading(of:)``. It reads the bucket's access control list, not its policy.
    public func allowsPublicReading(of container: String) async throws(ObjectError) -> Bool {
        try ObjectNames.checkContainer(container)
        var request = ServiceRequest("GET", container)
        request.query = [(name: "acl", value: "")]
        let root = try element(try await answer(to: request), request)
        return root["AccessControlList"]?.all("Grant").contains { grant in
            grant["Grantee"]?["URI"]?.text == S3ObjectStore.everyone
                && ["READ", "FULL_CONTROL"].contains(grant["Permission"]?.text)
        } ?? false
    }

    /// The group of all clients in access control lists.
    private static let everyone = "http://acs.amazonaws.com/groups/global/AllUsers"

    /// The namespace of S3's documents.
    static let namespace = "http://s3.amazonaws.com/doc/2006-03-01/"
}
