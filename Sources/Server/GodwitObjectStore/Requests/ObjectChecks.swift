//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitTransport

extension ObjectNames {
    /// Throws if the name of an object or of its container is not valid.
    static func check(_ name: String, in container: String) throws(ObjectError) {
        try checkContainer(container)
        try checkObject(name)
    }
}

extension ObjectUse {
    /// The HTTP method of a request with this use.
    var method: String {
        switch self {
        case .reading: "GET"
        case .writing: "PUT"
        }
    }
}

extension ServiceClient {
    /// Sends a request for an object. A service may send the same response for a missing object and for a missing
    /// container. Therefore, if the object does not exist, a second request checks whether the container exists.
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

    /// Returns a more precise error for a missing object. A request checks whether the container exists. If not, the
    /// result is the error for a missing container. If the client may not make this request, the result is the original
    /// error. If the request fails for another reason, the result is the error of this request. A given error that has
    /// a cause is returned unchanged, because it is already precise.
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
            // The credentials may permit only requests for objects.
            case .accessDenied: return objectError
            default: return error
            }
        }
    }
}
