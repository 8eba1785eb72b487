package dev.assay;

import java.util.Map;
import java.util.TreeMap;

/** What could not be delivered, counted by reason: queue_full, too_large, disk, refused, http_400 … */
final class Losses {
    private final Map<String, Long> counts = new TreeMap<>();

    synchronized void add(String reason, long count) {
        if (count > 0) counts.merge(reason, count, Long::sum);
    }

    synchronized Map<String, Long> all() {
        return new TreeMap<>(counts);
    }
}
