import Foundation

/// State of the consent to analytics.
public enum Consent {
    /// Events are stored and sent.
    case granted
    /// Not chosen yet: events wait in memory, nothing is stored or sent.
    case pending
    /// Nothing is stored or sent.
    case denied
}

public enum AssayError: Error {
    /// The key of an app must be a public one: anyone can read an app.
    case notAPublicKey
    case notAnAddress
}

/// Settings of a client.
public struct Settings {
    public let url: URL
    public let key: String
    /// Where the queue is stored, and nothing else. Default: a folder in Application Support.
    public var directory: URL?
    /// The state until the person chooses; what was chosen before stays.
    public var consent: Consent = .granted
    public var appName = ""
    public var appVersion = ""
    /// Bounds of the queue; the oldest events are dropped beyond them, and counted.
    public var queueEventsMax = 10_000
    public var queueBytesMax = 8 * 1024 * 1024
    /// How long events wait to be sent together.
    public var flushIntervalS = 2.0
    /// Called with the verdict of each event, on a queue of its own.
    public var onVerdict: ((Verdict) -> Void)?
    /// The time, for tests.
    public var now: () -> Date = { Date() }

    /// `url` is the address of the product, `key` begins with pk_live_.
    public init(url: String, key: String) throws {
        var text = url
        while text.hasSuffix("/") { text.removeLast() }
        guard let address = URL(string: text), let scheme = address.scheme, ["http", "https"].contains(scheme) else {
            throw AssayError.notAnAddress
        }
        guard key.hasPrefix("pk_") else { throw AssayError.notAPublicKey }
        self.url = address
        self.key = key
    }
}

/// Sends events of an app to Assay. No call waits for the network or throws: events are queued in files of a directory
/// and sent in the background, also after a restart. Calls may come from any thread.
public final class Assay {
    static let version = "0.1.0"
    /// The server refuses larger ones.
    private static let eventBytesMax = 32 * 1024
    /// Events that wait for consent, in memory.
    private static let pendingMax = 1_000
    /// A visit ends after so long without anything, as in the browser SDK.
    private static let sessionMs: Int64 = 30 * 60_000
    private static let categories = [
        "ad_storage", "ad_user_data", "ad_personalization", "analytics_storage", "functionality_storage",
        "personalization_storage",
    ]

    private let work: DispatchQueue
    private let lossCounts: Losses
    private let settings: Settings
    private let queue: DiskQueue
    private let device: Device
    private let sender: Sender
    private let context: [String: Any]
    private var state: Consent
    private var pending: [[String: Any]] = []
    private var pendingUserId: String?
    private var isClosed = false

    public convenience init(_ settings: Settings) throws {
        try self.init(settings, transport: Http())
    }

    init(_ settings: Settings, transport: Transport) throws {
        let directory = try settings.directory ?? Assay.usualDirectory()
        let work = DispatchQueue(label: "dev.assay")
        let losses = Losses()
        let queue = try DiskQueue(
            directory: directory, linesMax: max(1, settings.queueEventsMax), bytesMax: max(1, settings.queueBytesMax))
        let device = Device(url: directory.appendingPathComponent("device"), losses: losses)
        let sender = Sender(settings, work: work, queue: queue, losses: losses, transport: transport)
        let chosen = device.consent
        self.settings = settings
        self.work = work
        self.queue = queue
        self.device = device
        self.sender = sender
        lossCounts = losses
        context = Assay.contextOf(settings)
        state = chosen ?? settings.consent
        // What an earlier release of the app stored without asking is not sent either.
        if chosen == nil, state != .granted { try queue.clear() }
        work.async { sender.wake(isNow: true) }
    }

    /// Sends an event, and answers its id.
    @discardableResult
    public func track(_ event: String, _ properties: [String: Any] = [:]) -> String {
        enqueue(["event": event], "properties", properties)
    }

    @discardableResult
    public func page(url: String, title: String) -> String {
        track("$pageview", ["url": url, "title": title])
    }

    /// A screen of an app is a page view under its name.
    @discardableResult
    public func screen(_ name: String) -> String {
        page(url: "/" + name, title: name)
    }

    /// From now on events belong to this person.
    @discardableResult
    public func identify(_ userId: String, traits: [String: Any] = [:]) -> String {
        work.sync {
            if state == .granted { device.setUserId(userId) } else { pendingUserId = userId }
        }
        return enqueue(["type": "identify", "user_id": userId], "traits", traits)
    }

    /// A new visitor and a new session, for the next person on this device.
    public func reset() {
        work.sync {
            pendingUserId = nil
            // Before a choice nothing is stored, and after a refusal nothing is left.
            if state == .granted { device.forget() }
        }
    }

    /// What the person chose. Granted: what waited is sent, after the consent itself. Denied: what waits is dropped,
    /// what was stored is deleted, and the server is informed if it knew the visitor.
    public func setConsent(_ choice: Consent) {
        work.sync {
            guard !isClosed, choice != .pending else { return }
            let wasKnown = device.isStored
            state = choice
            do {
                if choice == .denied { try deny(wasKnown: wasKnown) } else { try grant() }
            } catch {
                lossCounts.add("disk")
            }
            sender.wake(isNow: true)
        }
    }

    public var consent: Consent { work.sync { state } }

    /// The app is in front again: a new session begins if the last one is over.
    public func onForeground() {
        work.sync {
            guard state == .granted, !isClosed else { return }
            _ = session()
            sender.wake(isNow: true)
        }
    }

    /// The app may be killed from now on: everything is brought to the disk, and sent if that is possible.
    public func onBackground() {
        work.sync {
            guard state == .granted, !isClosed else { return }
            do {
                try queue.force()
            } catch {
                lossCounts.add("disk")
            }
            device.seen(Time.milliseconds(settings.now()))
            sender.wake(isNow: true)
        }
    }

    /// Sends what is queued, and calls back with false where some of it is still there.
    public func flush(_ then: @escaping (Bool) -> Void = { _ in }) {
        work.async { [sender] in sender.drain(then) }
    }

    /// How many events wait on this device.
    public var queued: Int { work.sync { queue.count + pending.count } }

    /// What could not be delivered, by reason.
    public var losses: [String: Int] { lossCounts.all() }

    public var anonymousId: String { work.sync { state == .granted ? device.anonymousId() : "" } }

    /// Ends sending. What was not sent is sent by the next client of the directory.
    public func close() {
        work.sync {
            guard !isClosed else { return }
            isClosed = true
            sender.close()
            do {
                try queue.close()
            } catch {
                lossCounts.add("disk")
            }
        }
    }

    private func deny(wasKnown: Bool) throws {
        pending = []
        try queue.clear()
        if wasKnown { try append("C", record("denied")) }
        device.deny()
    }

    private func grant() throws {
        device.grant()
        if let userId = pendingUserId { device.setUserId(userId) }
        try append("C", record("granted"))
        for item in pending { try store(item) }
        pending = []
    }

    private func record(_ choice: String) -> [String: Any] {
        var categories: [String: Any] = [:]
        for category in Assay.categories { categories[category] = choice }
        return [
            "anonymous_id": device.anonymousId(),
            "categories": categories,
            "source": "swift_sdk",
            "effective_at": Time.text(settings.now()),
        ]
    }

    /// Values are written out at once: the app may hand over what cannot be written.
    private func enqueue(_ call: [String: Any], _ name: String, _ values: [String: Any]) -> String {
        let id = newId()
        guard Json.write(values) != nil else {
            lossCounts.add("unserialisable")
            return id
        }
        work.sync {
            guard !isClosed, state != .denied else { return }
            var item = call
            item[name] = values
            item["event_id"] = id
            item["ts"] = Time.text(settings.now())
            if state == .pending {
                pending.append(item)
                if pending.count > Assay.pendingMax {
                    pending.removeFirst()
                    lossCounts.add("queue_full")
                }
                return
            }
            do {
                try store(item)
                sender.wake(isNow: false)
            } catch {
                lossCounts.add("disk")
            }
        }
        return id
    }

    private func store(_ call: [String: Any]) throws {
        var item = call
        item["session_id"] = session()
        item["anonymous_id"] = device.anonymousId()
        if item["user_id"] == nil, let userId = device.userId { item["user_id"] = userId }
        item["context"] = context
        try append("E", item)
    }

    private func append(_ kind: String, _ item: [String: Any]) throws {
        guard let text = Json.write(item) else {
            lossCounts.add("unserialisable")
            return
        }
        guard text.utf8.count <= Assay.eventBytesMax else {
            lossCounts.add("too_large")
            return
        }
        lossCounts.add("queue_full", try queue.add(kind + text))
    }

    /// The session of now; the first thing of a new one is its start.
    private func session() -> String {
        let nowMs = Time.milliseconds(settings.now())
        if let known = device.sessionId, nowMs - device.seenMs <= Assay.sessionMs {
            // Written now and then: a session is found by minutes.
            if nowMs - device.seenMs > 60_000 { device.setSession(known, seenMs: nowMs) }
            return known
        }
        let id = newId()
        device.setSession(id, seenMs: nowMs)
        var start: [String: Any] = [
            "event": "$session_start",
            "properties": ["session_id": id],
            "event_id": newId(),
            "ts": Time.text(settings.now()),
            "session_id": id,
            "anonymous_id": device.anonymousId(),
            "context": context,
        ]
        if let userId = device.userId { start["user_id"] = userId }
        do {
            try append("E", start)
        } catch {
            lossCounts.add("disk")
        }
        return id
    }

    private static func usualDirectory() throws -> URL {
        let base = try FileManager.default.url(
            for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
        return base.appendingPathComponent("assay", isDirectory: true)
    }

    private static func contextOf(_ settings: Settings) -> [String: Any] {
        let system = ProcessInfo.processInfo.operatingSystemVersion
        return [
            "library": ["name": "assay-swift", "version": version],
            "app": ["name": settings.appName, "version": settings.appVersion],
            "os": ["name": systemName, "version": "\(system.majorVersion).\(system.minorVersion)"],
            "locale": Locale.current.identifier.replacingOccurrences(of: "_", with: "-"),
            "timezone": TimeZone.current.identifier,
        ]
    }

    private static var systemName: String {
        #if os(iOS)
        return "iOS"
        #elseif os(macOS)
        return "macOS"
        #elseif os(tvOS)
        return "tvOS"
        #elseif os(watchOS)
        return "watchOS"
        #else
        return "Linux"
        #endif
    }
}
