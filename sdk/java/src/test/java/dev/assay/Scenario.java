package dev.assay;

import java.io.IOException;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/** An application that a test starts: its arguments say what it does, and it prints what it saw as JSON. */
public final class Scenario {
    private static final Map<String, Long> outcomes = new TreeMap<>();
    private static long duplicates;

    private Scenario() {}

    public static void main(String[] args) throws Exception {
        String name = args[0];
        Assay.Builder builder = Assay.builder(args[1], args[2]).directory(args[3]).app("Shop", "2.1.0");
        builder.onVerdict(Scenario::note).flushIntervalMs(50);
        int from = Integer.parseInt(args[4]);
        int to = Integer.parseInt(args[5]);
        switch (name) {
            case "send":
                finish(tracked(builder.build(), from, to), 60_000);
                break;
            case "offline":
                finish(tracked(builder.build(), from, to), 500);
                break;
            case "week":
                // An hour less than the server takes from a public key.
                builder.clock(() -> System.currentTimeMillis() - (7L * 24 - 1) * 3_600_000);
                finish(tracked(builder.build(), from, to), 500);
                break;
            case "killed":
                // As the system kills an app: no handler runs, and nothing is closed.
                tracked(builder.build(), from, to);
                Runtime.getRuntime().halt(0);
                break;
            case "bounded":
                finish(tracked(builder.queue(100, 1_000_000).build(), from, to), 300);
                break;
            case "small":
                finish(tracked(builder.queue(100_000, 20_000).build(), from, to), 300);
                break;
            case "denied":
                denied(builder, from, to);
                break;
            case "pending":
                pending(builder, from, to);
                break;
            case "life":
                life(builder);
                break;
            case "withdrawn":
                withdrawn(builder, from, to);
                break;
            case "odd":
                odd(builder);
                break;
            default:
                throw new IllegalArgumentException(name);
        }
    }

    private static synchronized void note(Verdict verdict) {
        outcomes.merge(verdict.outcome, 1L, Long::sum);
        if (verdict.isDuplicate) duplicates++;
    }

    private static Assay tracked(Assay assay, int from, int to) {
        for (int nth = from; nth < to; nth++)
            assay.track("card_moved", Collections.singletonMap("nth", nth));
        return assay;
    }

    private static void finish(Assay assay, long timeoutMs) throws InterruptedException {
        boolean isSent = assay.flush(timeoutMs);
        int queued = assay.queued();
        assay.close();
        Map<String, Object> said = new TreeMap<>();
        said.put("sent", isSent);
        said.put("queued", queued);
        said.put("losses", assay.losses());
        synchronized (Scenario.class) {
            said.put("outcomes", outcomes);
            said.put("duplicates", duplicates);
        }
        System.out.println(Json.write(said));
    }

    /** Chosen before anything was known: nothing reaches the server. */
    private static void denied(Assay.Builder builder, int from, int to) throws Exception {
        Assay assay = builder.consent(Assay.Consent.PENDING).build();
        tracked(assay, from, to);
        assay.setConsent(Assay.Consent.DENIED);
        finish(tracked(assay, from, to), 2_000);
    }

    /** Granted, then denied: the server is informed, and what was not sent is gone. */
    private static void withdrawn(Assay.Builder builder, int from, int to) throws Exception {
        Assay assay = builder.build();
        tracked(assay, from, to);
        assay.flush(30_000);
        assay.setConsent(Assay.Consent.DENIED);
        finish(tracked(assay, from, to), 30_000);
    }

    /** What applications hand over by mistake. */
    private static void odd(Assay.Builder builder) throws Exception {
        Assay assay = builder.build();
        Map<String, Object> circle = new TreeMap<>();
        circle.put("self", circle);
        assay.track("card_moved", circle);
        Object thrower = new Object() {
            @Override
            public String toString() {
                throw new IllegalStateException("no words");
            }
        };
        assay.track("card_moved", Collections.singletonMap("nth", thrower));
        assay.track("card_moved", Collections.singletonMap("text", new String(new char[40_000])));
        assay.track("card_moved", null);
        Map<String, Object> whole = new TreeMap<>();
        whole.put("nth", 1);
        whole.put("text", "quote \" slash \\ line \n ü \ud83d\ude00 half \ud83d");
        whole.put("list", new Object[] {1, Double.NaN, null, true});
        assay.track("card_moved", whole);
        finish(assay, 30_000);
    }

    private static void pending(Assay.Builder builder, int from, int to) throws Exception {
        Assay assay = builder.consent(Assay.Consent.PENDING).build();
        tracked(assay, from, to);
        if (assay.queued() != to - from) throw new IllegalStateException("they wait");
        assay.identify("u_pending", Collections.singletonMap("plan", "pro"));
        assay.setConsent(Assay.Consent.GRANTED);
        finish(assay, 60_000);
    }

    private static void life(Assay.Builder builder) throws IOException, InterruptedException {
        long[] nowMs = {System.currentTimeMillis() - 7_200_000};
        Assay assay = builder.clock(() -> nowMs[0]).build();
        assay.onForeground();
        assay.screen("Cart");
        assay.onBackground();
        nowMs[0] += 600_000;
        assay.onForeground();
        assay.screen("Checkout");
        assay.onBackground();
        nowMs[0] += 3_600_000;
        assay.onForeground();
        assay.identify("u_life", Collections.<String, Object>emptyMap());
        assay.track("$login", Collections.singletonMap("method", "email"));
        assay.reset();
        assay.track("$login", Collections.singletonMap("method", "email"));
        finish(assay, 60_000);
    }
}
