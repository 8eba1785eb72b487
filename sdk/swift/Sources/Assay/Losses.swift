import Foundation

/// What could not be delivered, counted by reason: queue_full, too_large, disk, refused, http_400 …
final class Losses {
    private let lock = NSLock()
    private var counts: [String: Int] = [:]

    func add(_ reason: String, _ count: Int = 1) {
        guard count > 0 else { return }
        lock.lock()
        defer { lock.unlock() }
        counts[reason, default: 0] += count
    }

    func all() -> [String: Int] {
        lock.lock()
        defer { lock.unlock() }
        return counts
    }
}
