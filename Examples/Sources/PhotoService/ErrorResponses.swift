import Ashlar
import Hummingbird
import PhotoAPI

/// Answers every error with a status and a body that gives the reason. Faults of the service itself are logged, and not
/// described to the client.
struct ErrorResponses<Context: RequestContext>: RouterMiddleware {
    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as CancellationError {
            throw error
        } catch {
            let (status, body) = answer(to: error)
            if status.kind == .serverError { context.logger.error("\(request.method) \(request.uri.path): \(error)") }
            var response = try body.response(from: request, context: context)
            response.status = status
            if status == .serviceUnavailable { response.headers[.retryAfter] = "1" }
            return response
        }
    }

    func answer(to error: any Error) -> (HTTPResponse.Status, ErrorResponse) {
        switch error {
        case let error as ServiceError: answer(to: error)
        case let error as SaveError: answer(to: error)
        case StoreError.missingObject: (.notFound, ErrorResponse(error: "not-found", message: "It is not there."))
        case StoreError.locked:
            (.serviceUnavailable, ErrorResponse(error: "busy", message: "The store is busy. Try again."))
        case let error as HTTPError:
            (
                error.status,
                ErrorResponse(error: "refused", message: error.body ?? error.status.reasonPhrase)
            )
        case let error as any HTTPResponseError:
            (error.status, ErrorResponse(error: "refused", message: error.status.reasonPhrase))
        default: (.internalServerError, ErrorResponse(error: "failed", message: "The service failed."))
        }
    }

    private func answer(to error: ServiceError) -> (HTTPResponse.Status, ErrorResponse) {
        switch error {
        case .invalidParameter(let name, let reason):
            (.badRequest, ErrorResponse(error: "invalid-parameter", message: "\(name): \(reason)"))
        case .invalidCursor:
            (.badRequest, ErrorResponse(error: "invalid-cursor", message: "after: no page of this feed ended there"))
        case .lostPlace:
            (
                .gone,
                ErrorResponse(
                    error: "lost-place", message: "The post that the page ended with was deleted. Begin anew.")
            )
        case .notFound(let message): (.notFound, ErrorResponse(error: "not-found", message: message))
        case .unknownAuthor(let name):
            (.unprocessableContent, ErrorResponse(error: "unknown-author", message: "There is no author “\(name)”."))
        case .outdatedRevision(let seen, let current):
            (
                .conflict,
                ErrorResponse(
                    error: "outdated",
                    message: "Revision \(seen) is outdated: the current one is \(current). Read it again.")
            )
        case .invalidCount(let count, let allowed):
            (
                .unprocessableContent,
                ErrorResponse(
                    error: "invalid-count",
                    message: "From \(allowed.lowerBound) to \(allowed.upperBound) posts can be made, and not \(count).")
            )
        }
    }

    private func answer(to error: SaveError) -> (HTTPResponse.Status, ErrorResponse) {
        switch error {
        case .validation(let failures):
            (
                .unprocessableContent,
                ErrorResponse(
                    error: "invalid", message: "Nothing was saved. The failures say why.",
                    failures: failures.map {
                        ErrorResponse.Failure(entity: $0.entity, property: $0.property, reason: $0.rule.reason)
                    })
            )
        case .notUnique(_, let properties, _):
            (
                .conflict,
                ErrorResponse(error: "taken", message: "The \(properties.joined(separator: " and ")) is taken.")
            )
        case .conflict:
            (.conflict, ErrorResponse(error: "outdated", message: "Another request changed it. Read it again."))
        default: (.internalServerError, ErrorResponse(error: "failed", message: "Nothing was saved."))
        }
    }
}

extension ValidationFailure.Rule {
    /// The rule in words for the client that sent the value.
    fileprivate var reason: String {
        switch self {
        case .missingRequiredValue: "it is required"
        case .tooShort(minimum: 1): "it must not be empty"
        case .tooShort(let minimum): "it has to have \(minimum) characters or more"
        case .tooLong(let maximum): "it may have \(maximum) characters at most"
        case .belowMinimum, .aboveMaximum, .notANumber: "it is out of range"
        default: "it is not allowed"
        }
    }
}
