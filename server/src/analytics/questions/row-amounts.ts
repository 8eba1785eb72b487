import { type Money, rateOf } from '../../store/money.ts'
import { decimalText } from '../tally/decimal-text.ts'
import type { EventRows } from '../tally/event-rows.ts'

/** Far more than a site has. */
export const currenciesMax = 20

type Amount = { row: number; isOrder: boolean; currency: string; units: bigint | null }

/** The money of rows in the currency of a report: what cannot be converted has no units. */
export function amountsIn(rows: EventRows, money: Money) {
  const orderName = rows.name.texts.indexOf('$purchase')
  const all = Array.from(rows.money.row, (row, index): Amount => {
    const currency = (rows.currencies[rows.money.currency[index] ?? 0] ?? '').slice(1)
    const isOrder = rows.name.numbers[row] === orderName
    return { row, isOrder, currency, units: convertedUnits(rows.money.units[index] ?? 0n, currency, money) }
  })
  const counted = (onlyOrders: boolean) => all.filter(({ isOrder }) => isOrder || !onlyOrders)
  return {
    sums(keyOf: Int32Array, keys: number, onlyOrders: boolean): string[] {
      const sums = Array.from({ length: keys }, () => 0n)
      for (const { row, units } of counted(onlyOrders)) {
        const key = keyOf[row] ?? -1
        if (key !== -1 && units !== null) sums[key] = (sums[key] ?? 0n) + units
      }
      return sums.map(decimalText)
    },
    orders(keyOf: Int32Array, keys: number): Int32Array {
      const counts = new Int32Array(keys)
      for (const { row, units } of counted(true)) {
        const key = keyOf[row] ?? -1
        if (key !== -1 && units !== null) counts[key] = (counts[key] ?? 0) + 1
      }
      return counts
    },
    /** Currencies without a rate. Only those over all are asked for. */
    unknown(keyOf: Int32Array, keys: number, onlyOrders: boolean): string[][] {
      const found = counted(onlyOrders).filter(
        ({ row, units, currency }) => units === null && currency !== '' && keyOf[row] !== -1,
      )
      const names = [...new Set(found.map(({ currency }) => currency))].sort().slice(0, currenciesMax)
      return Array.from({ length: keys }, () => names)
    },
  }
}

const scale = 10_000

/** As `moneySql` converts: to a number, and to the nearest ten-thousandth by adding half of one. */
function convertedUnits(units: bigint, currency: string, money: Money): bigint | null {
  const rate = rateOf(money, currency)
  if (rate === null) return null
  if (money.rates.length === 0) return units
  const converted = (Number(units) / scale) * rate
  return BigInt(Math.trunc((converted + (units < 0n ? -0.00005 : 0.00005)) * scale))
}
