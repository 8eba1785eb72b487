package dev.assay;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/** The thread that sends what is queued: in batches, in order, one request at a time. */
final class Sender extends Thread {
    private static final int BATCH_EVENTS_MAX = 100;
    private static final long BATCH_BYTES_MAX = 512 * 1024;
    /** Pauses after failures in a row, half of each random. */
    private static final long[] PAUSES_MS = {1_000, 8_000, 64_000, 300_000};

    private final Object lock;
    private final DiskQueue queue;
    private final String url;
    private final String key;
    private final Losses losses;
    private final Assay.Clock clock;
    private final Verdict.Listener listener;
    private final long waitMs;
    private int batchEventsMax = BATCH_EVENTS_MAX;
    private int failures;
    /** By the clock that never jumps; 0: at once. */
    private long notBeforeNs;
    private long dueNs;
    private boolean isUrgent;
    private boolean isClosed;
    /** The key was refused: nothing more is sent by this process, and the queue stays for the next. */
    private boolean isRefused;
    private boolean isSending;
    private boolean isPaused;

    Sender(Assay.Builder given, DiskQueue queue, Losses losses, Object lock) {
        super("assay-sender");
        setDaemon(true);
        this.lock = lock;
        this.queue = queue;
        this.url = given.url;
        this.key = given.key;
        this.losses = losses;
        this.clock = given.clock;
        this.listener = given.listener;
        this.waitMs = given.flushIntervalMs;
    }

    /** Call with the lock. */
    void wake(boolean isNow) {
        isUrgent |= isNow || queue.size() >= batchEventsMax;
        lock.notifyAll();
    }

    /** Waits until everything was sent; false where time, the network or the server did not allow it. */
    boolean drain(long timeoutMs) throws InterruptedException {
        long endNs = System.nanoTime() + timeoutMs * 1_000_000;
        synchronized (lock) {
            wake(true);
            while (queue.size() > 0 || isSending) {
                long leftMs = (endNs - System.nanoTime()) / 1_000_000;
                boolean isLate = !isSending && pausedMs() > leftMs;
                if (leftMs <= 0 || isRefused || isLate || !isAlive()) return queue.size() == 0;
                lock.wait(Math.min(leftMs, 50));
            }
            return true;
        }
    }

    void end() throws InterruptedException {
        synchronized (lock) {
            isClosed = true;
            lock.notifyAll();
        }
        join(5_000);
    }

    @Override
    public void run() {
        try {
            for (List<DiskQueue.Line> batch = next(); batch != null; batch = next()) send(batch);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        }
    }

    /** The next batch, once it is time for it; null at the end. */
    private List<DiskQueue.Line> next() throws InterruptedException {
        synchronized (lock) {
            isSending = false;
            lock.notifyAll();
            while (!isClosed) {
                long nowNs = System.nanoTime();
                long pauseMs = pausedMs();
                if (queue.size() == 0 || isRefused) {
                    isUrgent = false;
                    dueNs = 0;
                    lock.wait(60_000);
                } else if (pauseMs > 0) lock.wait(Math.min(pauseMs, 1_000));
                else if (!isUrgent) {
                    // The first event of a batch waits for others; those do not prolong it.
                    if (dueNs == 0) dueNs = nowNs + waitMs * 1_000_000;
                    long leftMs = (dueNs - nowNs) / 1_000_000;
                    if (leftMs > 0) lock.wait(leftMs);
                    else isUrgent = true;
                } else {
                    isSending = true;
                    return ofOneKind(queue.first(batchEventsMax, BATCH_BYTES_MAX));
                }
            }
            return null;
        }
    }

    /** A consent is a call of its own, before the events that follow it. */
    private static List<DiskQueue.Line> ofOneKind(List<DiskQueue.Line> lines) {
        if (isConsent(lines.get(0))) return lines.subList(0, 1);
        int end = 1;
        while (end < lines.size() && !isConsent(lines.get(end))) end++;
        return lines.subList(0, end);
    }

    private static boolean isConsent(DiskQueue.Line line) {
        return line.text.startsWith("C");
    }

    private void send(List<DiskQueue.Line> batch) {
        boolean isConsent = isConsent(batch.get(0));
        try {
            String path = isConsent ? "/v1/consent" : "/v1/batch";
            settle(batch, isConsent, Http.post(url + path, key, isConsent ? consentOf(batch) : bodyOf(batch)));
        } catch (IOException offline) {
            pause(0);
        } catch (RuntimeException error) {
            // Such as an app that may not use the network. It must not end the thread, or the app.
            losses.add("sdk_error", 1);
            pause(0);
        }
    }

    private static String consentOf(List<DiskQueue.Line> batch) {
        return batch.get(0).text.substring(1);
    }

    /** `sent_at` is of this attempt, so that a wrong clock of the device shifts no event. */
    private String bodyOf(List<DiskQueue.Line> batch) {
        StringBuilder body = new StringBuilder("{\"sent_at\":").append(clock.nowMs()).append(",\"batch\":[");
        String separator = "";
        for (DiskQueue.Line line : batch) {
            body.append(separator).append(line.text, 1, line.text.length());
            separator = ",";
        }
        return body.append("]}").toString();
    }

    private void settle(List<DiskQueue.Line> batch, boolean isConsent, Http.Answer answer) throws IOException {
        int status = answer.status;
        if (status >= 200 && status < 300) {
            done(batch);
            if (!isConsent) tell(answer.body);
        } else if (status == 401 || status == 403) {
            synchronized (lock) {
                isRefused = true;
            }
            losses.add("refused", 1);
        } else if (status == 413 && batch.size() > 1) {
            batchEventsMax = Math.max(1, batch.size() / 4);
            pause(answer.retryAfterS);
        } else if (status == 408 || status == 429 || status >= 500) {
            pause(answer.retryAfterS);
        } else {
            // The same would be refused again.
            losses.add("http_" + status, batch.size());
            done(batch);
            pause(answer.retryAfterS);
        }
    }

    private void done(List<DiskQueue.Line> batch) throws IOException {
        synchronized (lock) {
            queue.remove(batch);
            failures = 0;
        }
    }

    private void pause(long retryAfterS) {
        synchronized (lock) {
            long pauseMs = PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)];
            failures++;
            long randomMs = pauseMs / 2 + ThreadLocalRandom.current().nextLong(pauseMs / 2 + 1);
            notBeforeNs = System.nanoTime() + Math.max(randomMs, retryAfterS * 1_000) * 1_000_000;
            isPaused = true;
        }
    }

    private long pausedMs() {
        return isPaused ? Math.max(0, (notBeforeNs - System.nanoTime()) / 1_000_000) : 0;
    }

    @SuppressWarnings("unchecked")
    private void tell(String body) {
        Object answer = listener == null ? null : Json.read(body);
        Object results = answer instanceof Map ? ((Map<String, Object>) answer).get("results") : null;
        if (!(results instanceof List)) return;
        for (Object result : (List<Object>) results) {
            if (!(result instanceof Map)) continue;
            try {
                listener.onVerdict(Verdict.of((Map<String, Object>) result));
            } catch (RuntimeException ofTheApplication) {
                losses.add("listener", 1);
            }
        }
    }
}
