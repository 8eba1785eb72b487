import type { SharedView } from '@assay/contract'
import { pageColors } from '../../http/assets/page-colors.ts'
import { policyHash } from '../../http/security-headers.ts'

const light =
  `${pageColors.light};--paper:#fff;--card:#f4f6f4;--good:#17703b;--bad:#b02a24;` +
  '--s1:#0c8577;--s2:#b4580a;--s3:#8f3fae;--s4:#5b6675;--s5:#a11d4c'
const dark =
  `${pageColors.dark};--card:#171b19;--good:#7fd39b;--bad:#f3968c;` +
  '--s1:#4fd1bd;--s2:#f0a35e;--s3:#cf9bea;--s4:#9aa5b4;--s5:#f28bb0'

const layout = `*{box-sizing:border-box}
body{font:15px/1.5 system-ui,sans-serif;max-width:64rem;margin:0 auto;padding:2rem 1.25rem;color:var(--ink);
background:var(--paper)}
h1{font-size:1.6rem;margin:0;line-height:1.2}h2{font-size:1.1rem;margin:2.5rem 0 .75rem}p{margin:.5rem 0}
small,footer,header p,.chart text,dt,th{color:var(--soft)}footer{margin-top:3rem;font-size:.85rem}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(7.9rem,1fr));gap:.5rem;margin:0 0 1.25rem}
.figures div{background:var(--card);border-radius:.6rem;padding:.7rem .65rem}
dt{font-size:.8rem}dd{margin:.15rem 0 0;white-space:nowrap;font-size:1.15rem;font-weight:600}
dd small{display:block;font-size:.8rem;font-weight:500}
small.better{color:var(--good)}small.worse{color:var(--bad)}
.chart{display:block;width:100%;height:auto;margin-bottom:1.25rem}.chart text{font-size:12px;fill:currentColor}
.grid{stroke:var(--line)}.area{fill:var(--accent);opacity:.1}
.line{fill:none;stroke:var(--accent);stroke-width:2;stroke-linejoin:round}.open{stroke-dasharray:5 4}
.s0{--of:var(--accent)}.s1{--of:var(--s1)}.s2{--of:var(--s2)}.s3{--of:var(--s3)}.s4{--of:var(--s4)}.s5{--of:var(--s5)}
.line[class*=" s"]{stroke:var(--of)}.fill{fill:var(--of)}
.legend{display:flex;flex-wrap:wrap;gap:.25rem 1rem;margin:0 0 1.25rem;padding:0;list-style:none;font-size:.85rem}
.legend svg{width:.7rem;height:.7rem;margin-right:.4rem}
.point rect{fill:transparent}.point circle{fill:var(--accent);opacity:0}.point:hover circle{opacity:1}
.lists{display:grid;grid-template-columns:repeat(auto-fit,minmax(18rem,1fr));gap:1rem 2rem;align-items:start}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%}th{text-align:left;font-size:.85rem;font-weight:500}
th,td{padding:.35rem .75rem .35rem 0;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
.number,.ranked td:last-child,.ranked th:last-child{text-align:right;font-variant-numeric:tabular-nums;padding-right:0}
.ranked th:first-child{width:100%}.ranked th:last-child,.ranked td:last-child,.number{white-space:nowrap}
.ranked td:last-child{padding-left:.75rem}.ranked th:last-child{padding-left:.75rem}
.ranked td{border:0;position:relative}.ranked td:first-child{padding-left:.5rem}.ranked span{position:relative}
.bar{position:absolute;inset:.15rem 0;width:100%;height:calc(100% - .3rem)}
.bar rect{fill:var(--accent);opacity:.14}.wide th{white-space:nowrap}.wide td:first-child{min-width:9rem}
.wide .number{padding-left:.75rem}
@media(max-width:40rem){.chart text{font-size:22px}}`

const styles: Readonly<Record<SharedView['theme'], string>> = {
  light: `:root{color-scheme:light;${light}}${layout}`,
  dark: `:root{color-scheme:dark;${dark}}${layout}`,
  system: `:root{color-scheme:light dark;${light}}@media(prefers-color-scheme:dark){:root{${dark}}}${layout}`,
}

export const styleOf = (theme: SharedView['theme']): string => styles[theme]
export const stylePolicy = (theme: SharedView['theme']) => policyHash(styles[theme])
