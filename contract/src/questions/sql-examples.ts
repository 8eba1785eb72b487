/** Queries to begin with, by what they are about. */
export const sqlExamples = [
  {
    name: 'days',
    query: `SELECT toDate(time) AS day, uniqExact(person_id) AS visitors, count() AS events
FROM events
GROUP BY day
ORDER BY day`,
  },
  {
    name: 'pages',
    query: `SELECT page, uniqExact(person_id) AS visitors, count() AS views
FROM events
WHERE event = '$pageview'
GROUP BY page
ORDER BY visitors DESC
LIMIT 20`,
  },
  {
    name: 'campaigns',
    query: `SELECT utm_campaign, count() AS sessions, round(avg(conversions > 0), 4) AS conversion_rate
FROM sessions
GROUP BY utm_campaign
ORDER BY sessions DESC`,
  },
  {
    name: 'plans',
    query: `SELECT properties.plan AS plan, currency, count() AS purchases, sum(amount) AS revenue
FROM events
WHERE event = '$purchase'
GROUP BY plan, currency
ORDER BY revenue DESC`,
  },
  {
    name: 'returning',
    query: `WITH people AS (
  SELECT person_id, count() AS sessions FROM sessions WHERE person_id IS NOT NULL GROUP BY person_id
)
SELECT toString(least(sessions, 10)) AS sessions_each, count() AS people
FROM people
GROUP BY sessions_each
ORDER BY toUInt8(sessions_each)`,
  },
  {
    name: 'next',
    query: `WITH views AS (
  SELECT page, lead(page) OVER (PARTITION BY session_id ORDER BY time) AS next_page
  FROM events
  WHERE event = '$pageview' AND session_id IS NOT NULL
)
SELECT page, next_page, count() AS times
FROM views
WHERE next_page != ''
GROUP BY page, next_page
ORDER BY times DESC
LIMIT 20`,
  },
] as const
