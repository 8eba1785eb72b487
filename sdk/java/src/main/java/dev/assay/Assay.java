package dev.assay;

import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TimeZone;
import java.util.UUID;

/**
 * Sends events of an Android app or a JVM application to Assay. No call waits for the network or throws: events are
 * queued in files of a directory and sent by a thread of their own, also after a restart.
 */
public final class Assay implements Closeable {
    static final String VERSION = "0.1.0";
    /** The server refuses larger ones. */
    private static final int EVENT_BYTES_MAX = 32 * 1024;
    /** Events that wait for consent, in memory. */
    private static final int PENDING_MAX = 1_000;
    /** A visit ends after so long without anything, as in the browser SDK. */
    private static final long SESSION_MS = 30 * 60_000;

    /** State of the consent to analytics. */
    public enum Consent {
        /** Events are stored and sent. */
        GRANTED,
        /** Not chosen yet: events wait in memory, nothing is stored or sent. */
        PENDING,
        /** Nothing is stored or sent. */
        DENIED
    }

    /** The time, for tests. */
    public interface Clock {
        long nowMs();
    }

    private final Object lock = new Object();
    private final Losses losses = new Losses();
    private final DiskQueue queue;
    private final Sender sender;
    private final Clock clock;
    private final Device device;
    private final Map<String, Object> context;
    private final ArrayDeque<Map<String, Object>> pending = new ArrayDeque<>();
    private Consent consent;
    private boolean isClosed;

    private Assay(Builder given) throws IOException {
        clock = given.clock;
        queue = new DiskQueue(given.directory, given.eventsMax, given.bytesMax);
        device = new Device(new File(given.directory, "device"));
        Consent chosen = device.consent();
        consent = chosen == null ? given.consent : chosen;
        // What an earlier release of the app stored without asking is not sent either.
        if (chosen == null && consent != Consent.GRANTED) queue.clear();
        context = contextOf(given);
        sender = new Sender(given, queue, losses, lock);
        sender.start();
    }

    /** `url` is the address of the product, `publicKey` begins with pk_live_. */
    public static Builder builder(String url, String publicKey) {
        return new Builder(url, publicKey);
    }

    /** Settings of a client. */
    public static final class Builder {
        final String url;
        final String key;
        File directory;
        Consent consent = Consent.GRANTED;
        Clock clock = System::currentTimeMillis;
        Verdict.Listener listener;
        String appName = "";
        String appVersion = "";
        int eventsMax = 10_000;
        long bytesMax = 8L * 1024 * 1024;
        long flushIntervalMs = 2_000;

        private Builder(String url, String key) {
            if (url == null || !url.matches("https?://.+")) throw new IllegalArgumentException("The address is no URL");
            if (key == null || !key.startsWith("pk_"))
                throw new IllegalArgumentException("Use a public key: anyone can read an app");
            this.url = url.replaceAll("/+$", "");
            this.key = key;
        }

        /** Where the queue is stored, and nothing else: on Android `new File(getFilesDir(), "assay")`. */
        public Builder directory(File directory) {
            this.directory = directory;
            return this;
        }

        public Builder directory(String path) {
            return directory(new File(path));
        }

        /** The state until the person chooses; what was chosen before stays. */
        public Builder consent(Consent consent) {
            this.consent = consent;
            return this;
        }

        public Builder app(String name, String version) {
            this.appName = name;
            this.appVersion = version;
            return this;
        }

        /** Bounds of the queue; the oldest events are dropped beyond them, and counted. */
        public Builder queue(int eventsMax, long bytesMax) {
            if (eventsMax < 1 || bytesMax < 1) throw new IllegalArgumentException("A queue holds something");
            this.eventsMax = eventsMax;
            this.bytesMax = bytesMax;
            return this;
        }

        /** How long events wait to be sent together. */
        public Builder flushIntervalMs(long flushIntervalMs) {
            this.flushIntervalMs = Math.max(1, flushIntervalMs);
            return this;
        }

        public Builder onVerdict(Verdict.Listener listener) {
            this.listener = listener;
            return this;
        }

        public Builder clock(Clock clock) {
            this.clock = clock;
            return this;
        }

        public Assay build() throws IOException {
            if (directory == null) throw new IllegalArgumentException("Set the directory of the queue");
            return new Assay(this);
        }
    }

    /** Sends an event, and answers its id. */
    public String track(String event) {
        return track(event, Collections.<String, Object>emptyMap());
    }

    public String track(String event, Map<String, ?> properties) {
        Map<String, Object> item = new LinkedHashMap<>();
        item.put("event", event);
        return enqueue(item, "properties", properties);
    }

    public String page(String url, String title) {
        Map<String, Object> properties = new LinkedHashMap<>();
        properties.put("url", url);
        properties.put("title", title);
        return track("$pageview", properties);
    }

    /** A screen of an app is a page view under its name. */
    public String screen(String name) {
        return page("/" + name, name);
    }

    /** From now on events belong to this person. */
    public String identify(String userId, Map<String, ?> traits) {
        synchronized (lock) {
            if (consent == Consent.GRANTED) device.userId(userId, losses);
            else pendingUserId = userId;
        }
        Map<String, Object> item = new LinkedHashMap<>();
        item.put("type", "identify");
        item.put("user_id", userId);
        return enqueue(item, "traits", traits);
    }

    private String pendingUserId;

    /** A new visitor and a new session, for the next person on this device. */
    public void reset() {
        synchronized (lock) {
            pendingUserId = null;
            // Before a choice nothing is stored, and after a refusal nothing is left.
            if (consent == Consent.GRANTED) device.forget(losses);
        }
    }

    /**
     * What the person chose. Granted: what waited is sent, after the consent itself. Denied: what waits is dropped,
     * what was stored is deleted, and the server is informed if it knew the visitor.
     */
    public void setConsent(Consent choice) {
        synchronized (lock) {
            if (isClosed || choice == Consent.PENDING) return;
            boolean wasKnown = device.isStored();
            consent = choice;
            try {
                if (choice == Consent.DENIED) deny(wasKnown);
                else grant();
            } catch (IOException error) {
                losses.add("disk", 1);
            }
            sender.wake(true);
        }
    }

    private void deny(boolean wasKnown) throws IOException {
        pending.clear();
        queue.clear();
        if (wasKnown) queue.add("C" + Json.write(record("denied")));
        device.deny(losses);
    }

    private void grant() throws IOException {
        device.grant(losses);
        if (pendingUserId != null) device.userId(pendingUserId, losses);
        queue.add("C" + Json.write(record("granted")));
        for (Map<String, Object> item : pending) store(item);
        pending.clear();
    }

    private Map<String, Object> record(String choice) {
        Map<String, Object> categories = new LinkedHashMap<>();
        for (String category :
                new String[] {
                    "ad_storage",
                    "ad_user_data",
                    "ad_personalization",
                    "analytics_storage",
                    "functionality_storage",
                    "personalization_storage"
                }) categories.put(category, choice);
        Map<String, Object> record = new LinkedHashMap<>();
        record.put("anonymous_id", device.anonymousId(losses));
        record.put("categories", categories);
        record.put("source", "java_sdk");
        record.put("effective_at", iso(clock.nowMs()));
        return record;
    }

    public Consent consent() {
        synchronized (lock) {
            return consent;
        }
    }

    /** The app is in front again: a new session begins if the last one is over. */
    public void onForeground() {
        synchronized (lock) {
            if (consent != Consent.GRANTED) return;
            session();
            sender.wake(true);
        }
    }

    /** The app may be killed from now on: everything is brought to the disk, and sent if that is possible. */
    public void onBackground() {
        synchronized (lock) {
            if (consent != Consent.GRANTED || isClosed) return;
            try {
                queue.force();
                device.seen(clock.nowMs(), losses);
            } catch (IOException error) {
                losses.add("disk", 1);
            }
            sender.wake(true);
        }
    }

    /** Sends what is queued, for at most this long; false where some of it is still there. */
    public boolean flush(long timeoutMs) throws InterruptedException {
        return sender.drain(timeoutMs);
    }

    /** How many events wait on this device. */
    public int queued() {
        synchronized (lock) {
            return queue.size() + pending.size();
        }
    }

    /** What could not be delivered, by reason. */
    public Map<String, Long> losses() {
        return losses.all();
    }

    public String anonymousId() {
        synchronized (lock) {
            return consent == Consent.GRANTED ? device.anonymousId(losses) : "";
        }
    }

    /** Ends the thread. What was not sent is sent by the next client of the directory. */
    @Override
    public void close() {
        synchronized (lock) {
            if (isClosed) return;
            isClosed = true;
        }
        try {
            sender.end();
            synchronized (lock) {
                queue.close();
            }
        } catch (IOException error) {
            losses.add("disk", 1);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    /** Values are written out at once: the application may change them, or hand over what cannot be written. */
    private String enqueue(Map<String, Object> item, String name, Map<String, ?> values) {
        String id = UUID.randomUUID().toString();
        try {
            item.put(name, new Json.Raw(values == null ? "{}" : Json.write(values)));
        } catch (RuntimeException ofTheApplication) {
            losses.add("unserialisable", 1);
            return id;
        }
        synchronized (lock) {
            if (isClosed || consent == Consent.DENIED) return id;
            item.put("event_id", id);
            item.put("ts", iso(clock.nowMs()));
            if (consent == Consent.PENDING) {
                pending.addLast(item);
                if (pending.size() > PENDING_MAX) {
                    pending.removeFirst();
                    losses.add("queue_full", 1);
                }
                return id;
            }
            try {
                if (store(item)) sender.wake(false);
            } catch (IOException error) {
                losses.add("disk", 1);
            }
        }
        return id;
    }

    private boolean store(Map<String, Object> item) throws IOException {
        item.put("session_id", session());
        item.put("anonymous_id", device.anonymousId(losses));
        if (!item.containsKey("user_id") && device.userId() != null) item.put("user_id", device.userId());
        return append(item);
    }

    private boolean append(Map<String, Object> item) throws IOException {
        item.put("context", context);
        String text = Json.write(item);
        if (text.getBytes(java.nio.charset.StandardCharsets.UTF_8).length > EVENT_BYTES_MAX) {
            losses.add("too_large", 1);
            return false;
        }
        losses.add("queue_full", queue.add("E" + text));
        return true;
    }

    /** The session of now; the first thing of a new one is its start. */
    private String session() {
        long nowMs = clock.nowMs();
        boolean isNew = device.sessionId() == null || nowMs - device.seenMs() > SESSION_MS;
        String id = isNew ? UUID.randomUUID().toString() : device.sessionId();
        // Written now and then: a session is found by minutes.
        if (isNew || nowMs - device.seenMs() > 60_000) device.session(id, nowMs, losses);
        if (isNew) start(id, nowMs);
        return id;
    }

    private void start(String sessionId, long nowMs) {
        Map<String, Object> item = new LinkedHashMap<>();
        item.put("event", "$session_start");
        item.put("properties", Collections.singletonMap("session_id", sessionId));
        item.put("event_id", UUID.randomUUID().toString());
        item.put("ts", iso(nowMs));
        item.put("session_id", sessionId);
        item.put("anonymous_id", device.anonymousId(losses));
        if (device.userId() != null) item.put("user_id", device.userId());
        try {
            append(item);
        } catch (IOException error) {
            losses.add("disk", 1);
        }
    }

    private static Map<String, Object> contextOf(Builder given) {
        Map<String, Object> library = new LinkedHashMap<>();
        library.put("name", "assay-java");
        library.put("version", VERSION);
        Map<String, Object> app = new LinkedHashMap<>();
        app.put("name", given.appName);
        app.put("version", given.appVersion);
        Map<String, Object> os = new LinkedHashMap<>();
        os.put("name", System.getProperty("java.vendor", "").contains("Android") ? "Android" : osName());
        os.put("version", System.getProperty("os.version", ""));
        Map<String, Object> context = new LinkedHashMap<>();
        context.put("library", library);
        context.put("app", app);
        context.put("os", os);
        context.put("locale", Locale.getDefault().toLanguageTag());
        context.put("timezone", TimeZone.getDefault().getID());
        return Collections.unmodifiableMap(context);
    }

    private static String osName() {
        return System.getProperty("os.name", "");
    }

    /** The newer classes for times are not on every Android. */
    private static String iso(long ms) {
        java.text.SimpleDateFormat format = new java.text.SimpleDateFormat("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT);
        format.setTimeZone(TimeZone.getTimeZone("UTC"));
        return format.format(new Date(ms));
    }
}
