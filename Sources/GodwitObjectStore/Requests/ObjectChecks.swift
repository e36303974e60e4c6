//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitClient

extension ObjectNames {
    /// Throws if the name of an object or of its container is not valid.
    static func check(_ name: String, in container: String) throws(ObjectError) {
        try checkContainer(container)
        try checkObject(name)
    }
}

extension ObjectUse {
    /// The method of a request with this use.
    var method: String {
        switch self {
        case .reading: "GET"
        case .writing: "PUT"
        }
    }
}

extension ServiceClient {
    /// Sends a request for an object. If the object does not exist, checks whether its container exists, since the
    /// service's response may not tell.
    func answer(toObject request: ServiceRequest) async throws(ObjectError) -> ServiceAnswer {
        do throws(ObjectError) {
            return try await answer(to: request)
        } catch {
            throw await precise(error, request)
        }
    }

    /// Sends a request for an object, as ``answer(toObject:)`` does, and does not read the body of the response.
    func response(toObject request: ServiceRequest) async throws(ObjectError) -> TransportResponse {
        do throws(ObjectError) {
            return try await response(to: request)
        } catch {
            throw await precise(error, request)
        }
    }

    /// Replaces the error for a missing object with the error for its container, if the container does not exist, or
    /// with the error of this check, if it fails for another reason than missing rights. An error with a cause is
    /// precise already.
    func precise(_ objectError: ObjectError, _ request: ServiceRequest) async -> ObjectError {
        guard objectError.code == .objectNotFound, objectError.cause == nil, let container = request.container,
            let name = request.name
        else { return objectError }
        do throws(ObjectError) {
            _ = try await answer(to: ServiceRequest("HEAD", container))
            return .missing(name, in: container)
        } catch {
            switch error.code {
            case .containerNotFound: return .missing(container: container)
            // The credentials may be limited to objects.
            case .accessDenied: return objectError
            default: return error
            }
        }
    }
}
