import Foundation

/// What the gate said about one event.
public struct Verdict {
    /// The id of the event, as `track` answered it.
    public let eventId: String
    /// `accept`, `warn`, `quarantine` or `reject`.
    public let outcome: String
    /// The server knew the event already: it counts once.
    public let isDuplicate: Bool
    /// Each with `code`, `message` and, where there is one, `field`.
    public let issues: [[String: Any]]

    init(result: [String: Any]) {
        eventId = result["event_id"] as? String ?? ""
        outcome = result["outcome"] as? String ?? ""
        isDuplicate = result["duplicate"] as? Bool ?? false
        issues = result["issues"] as? [[String: Any]] ?? []
    }
}
