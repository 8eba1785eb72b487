import Foundation

/// What is stored about the person on this device: ids, the session, and the choice about consent.
///
/// Not thread-safe: its owner locks.
final class Device {
    private struct State: Codable {
        var anonymousId: String?
        var userId: String?
        var sessionId: String?
        var seenMs: Int64?
        var consent: String?
    }

    private let url: URL
    private let losses: Losses
    private var state: State

    init(url: URL, losses: Losses) {
        self.url = url
        self.losses = losses
        let data = try? Data(contentsOf: url)
        state = data.flatMap { try? JSONDecoder().decode(State.self, from: $0) } ?? State()
    }

    var isStored: Bool { state.anonymousId != nil }
    var userId: String? { state.userId }
    var sessionId: String? { state.sessionId }
    var seenMs: Int64 { state.seenMs ?? 0 }

    /// Nil where the person has not chosen.
    var consent: Consent? {
        switch state.consent {
        case "granted": return .granted
        case "denied": return .denied
        default: return nil
        }
    }

    func anonymousId() -> String {
        if let known = state.anonymousId { return known }
        let made = newId()
        state.anonymousId = made
        save()
        return made
    }

    func setUserId(_ userId: String) {
        state.userId = userId
        save()
    }

    func setSession(_ sessionId: String, seenMs: Int64) {
        state.sessionId = sessionId
        seen(seenMs)
    }

    func seen(_ ms: Int64) {
        state.seenMs = ms
        save()
    }

    func grant() {
        state.consent = "granted"
        save()
    }

    /// Only the choice itself stays, so that it is known at the next start.
    func deny() {
        state = State(consent: "denied")
        save()
    }

    /// The next person on this device; the choice stays, since it is of the device.
    func forget() {
        state = State(consent: state.consent)
        save()
    }

    private func save() {
        do {
            try JSONEncoder().encode(state).write(to: url, options: .atomic)
        } catch {
            losses.add("disk")
        }
    }
}

func newId() -> String { UUID().uuidString.lowercased() }
