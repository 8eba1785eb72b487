/**
 * Every function that a query may call, by what it does. All of them look at their arguments alone: none reads a table,
 * a file, a setting, a dictionary or another server, waits, or takes the name of a function or of a type as text.
 * None takes much longer than its arguments are long.
 */
const scalar = `
  if multiIf ifNull nullIf coalesce isNull isNotNull assumeNotNull toNullable isNaN isFinite
  plus minus multiply divide intDiv modulo negate abs round floor ceil trunc sqrt exp log log2 log10 pow power sign
  greatest least and or not xor equals notEquals less greater lessOrEquals greaterOrEquals
  bitAnd bitOr bitXor bitShiftLeft bitShiftRight bitTest
  rand now today yesterday
  toString toInt8 toInt16 toInt32 toInt64 toUInt8 toUInt16 toUInt32 toUInt64 toFloat32 toFloat64 toBool
  toInt32OrNull toInt64OrNull toUInt32OrNull toUInt64OrNull toFloat64OrNull
  toInt32OrZero toInt64OrZero toUInt32OrZero toUInt64OrZero toFloat64OrZero
  toDecimal32 toDecimal64 toDecimal128 toDate toDateTime toDateTime64 toDateOrNull toDateTimeOrNull
  parseDateTimeBestEffort parseDateTimeBestEffortOrNull parseDateTime64BestEffort parseDateTime64BestEffortOrNull
  toTimeZone toYear toQuarter toMonth toDayOfMonth toDayOfWeek toDayOfYear toHour toMinute toSecond toISOWeek toISOYear
  toStartOfYear toStartOfQuarter toStartOfMonth toStartOfWeek toMonday toStartOfDay toStartOfHour toStartOfMinute
  toStartOfFiveMinutes toStartOfFifteenMinutes toStartOfInterval toYYYYMM toYYYYMMDD toLastDayOfMonth
  toUnixTimestamp toUnixTimestamp64Milli fromUnixTimestamp fromUnixTimestamp64Milli dateDiff dateTrunc date_trunc
  dateAdd dateSub addSeconds addMinutes addHours addDays addWeeks addMonths addQuarters addYears
  subtractSeconds subtractMinutes subtractHours subtractDays subtractWeeks subtractMonths subtractYears
  formatDateTime monthName dateName toRelativeDayNum toRelativeHourNum toRelativeWeekNum toRelativeMonthNum
  toIntervalSecond toIntervalMinute toIntervalHour toIntervalDay toIntervalWeek toIntervalMonth toIntervalYear
  length empty notEmpty lower upper lowerUTF8 upperUTF8 lengthUTF8 reverse concat concatWithSeparator
  substring substringUTF8 left right trim trimLeft trimRight trimBoth startsWith endsWith position positionUTF8
  positionCaseInsensitive positionCaseInsensitiveUTF8 locate countSubstrings replaceAll replaceOne replace
  match extract extractAll replaceRegexpAll replaceRegexpOne countMatches splitByChar splitByString arrayStringConcat
  base64Encode hex cityHash64 sipHash64 xxHash64 CRC32
  domain domainWithoutWWW topLevelDomain protocol path pathFull queryString extractURLParameter
  extractURLParameterNames cutQueryString cutURLParameter decodeURLComponent encodeURLComponent
  JSONHas JSONLength JSONType JSONExtractString JSONExtractInt JSONExtractUInt JSONExtractFloat JSONExtractBool
  JSONExtractRaw JSONExtractArrayRaw JSONExtractKeys isValidJSON
  array tuple tupleElement map mapKeys mapValues mapContains range arrayElement arrayJoin has hasAll hasAny indexOf
  arrayConcat arrayPushBack arrayPushFront arrayPopBack arrayPopFront arraySlice arrayReverse arraySort
  arrayReverseSort arrayDistinct arrayUniq arrayCompact arrayFlatten arrayZip arrayEnumerate arrayMap arrayFilter
  arrayExists arrayAll arrayCount arraySum arrayAvg arrayMin arrayMax arrayFirst arrayLast arrayFirstIndex
  arrayLastIndex arrayCumSum arrayDifference arrayIntersect arrayWithConstant countEqual
  transform bar grouping
  row_number rank dense_rank percent_rank ntile lag lead lagInFrame leadInFrame first_value last_value nth_value`

const aggregates = `
  count sum avg min max any anyLast argMin argMax uniq uniqExact uniqCombined uniqHLL12
  quantile quantiles quantileExact quantileDeterministic quantileTDigest median medianExact
  stddevPop stddevSamp varPop varSamp covarPop covarSamp corr skewPop kurtPop
  groupArray groupUniqArray topK topKWeighted sumMap minMap maxMap groupBitAnd groupBitOr groupBitXor
  windowFunnel retention simpleLinearRegression entropy sumWithOverflow avgWeighted boundingRatio deltaSum`

/** Behind the name of an aggregate. */
const combinators = ['If', 'Distinct', 'OrNull', 'OrDefault', 'Array']

const byLowerCase = (names: string) =>
  new Map(
    names
      .trim()
      .split(/\s+/)
      .map((name) => [name.toLowerCase(), name]),
  )
const scalars = byLowerCase(scalar)
const aggregated = byLowerCase(aggregates)

/** By the place of the argument: a pattern is compiled, which takes long for each row. */
const textArguments: Readonly<Record<string, number>> = {
  match: 1,
  extract: 1,
  extractAll: 1,
  replaceRegexpAll: 1,
  replaceRegexpOne: 1,
  countMatches: 1,
  // A zone or a format is known before any row.
  toTimeZone: 1,
  formatDateTime: 1,
}

type AllowedFunction = { name: string; textArgument: number | null; isAggregate: boolean }

/** In any case, as other dialects write them; null for everything that is not allowed. */
export function allowedFunction(name: string): AllowedFunction | null {
  const wanted = name.toLowerCase()
  const plain = scalars.get(wanted)
  if (plain !== undefined) {
    return { name: plain, textArgument: textArguments[plain] ?? null, isAggregate: false }
  }
  const aggregate = aggregateName(wanted, combinators.length)
  return aggregate === null ? null : { name: aggregate, textArgument: null, isAggregate: true }
}

function aggregateName(wanted: string, combinatorsMax: number): string | null {
  const plain = aggregated.get(wanted)
  if (plain !== undefined) return plain
  if (combinatorsMax === 0) return null
  for (const combinator of combinators) {
    if (!wanted.endsWith(combinator.toLowerCase())) continue
    const base = aggregateName(wanted.slice(0, -combinator.length), combinatorsMax - 1)
    if (base !== null) return base + combinator
  }
  return null
}
