// The look of the report: colours for light and dark screens, one column on a phone.
#pragma once

namespace orbit {

inline constexpr const char* kPageStyle = R"(
:root{color-scheme:light dark;--ink:#1c2024;--soft:#646b73;--paper:#fff;--card:#f5f6f8;--line:#dcdfe4;
--c0:#1f6fb2;--c1:#c75b0a;--c2:#2f8f4e;--c3:#8d4fa8;--c4:#b8263c;--c5:#64748b}
@media(prefers-color-scheme:dark){:root{--ink:#e4e7eb;--soft:#9aa3ad;--paper:#14171a;--card:#1e2226;--line:#343a41;
--c0:#63b0f0;--c1:#f2964b;--c2:#63c684;--c3:#c78fe0;--c4:#f0707f;--c5:#a3b1c2}}
*{box-sizing:border-box}
body{font:16px/1.45 system-ui,sans-serif;max-width:1100px;margin:0 auto;padding:1rem;color:var(--ink);background:var(--paper)}
h1{font-size:1.4rem;overflow-wrap:anywhere}h2{font-size:1.15rem;margin-top:2rem}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,320px),1fr));gap:1rem}
figure{margin:0;padding:.75rem;background:var(--card);border-radius:8px;min-width:0}
figcaption{font-weight:600;margin-bottom:.25rem}
svg{display:block;width:100%;height:auto}svg text{font-size:12px;fill:var(--soft)}
.grid{stroke:var(--line);fill:none}.mean,.member,.band{stroke-linejoin:round}
.mean{fill:none;stroke:var(--c);stroke-width:2}.member{fill:none;stroke:var(--c);stroke-width:1;opacity:.4}
circle.mean,circle.member{fill:var(--c)}
.band{fill:var(--c);opacity:.18}.bar{height:1.5rem;border-radius:4px}rect{fill:var(--c)}
.c0{--c:var(--c0)}.c1{--c:var(--c1)}.c2{--c:var(--c2)}.c3{--c:var(--c3)}.c4{--c:var(--c4)}.c5{--c:var(--c5)}
.legend{font-size:.85rem;color:var(--soft)}.key{margin-right:.8em;white-space:nowrap}
.key::before{content:"";display:inline-block;width:.7em;height:.7em;margin-right:.35em;border-radius:2px;background:var(--c)}
.wide{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{text-align:left;padding:.25rem 1rem .25rem 0;border-bottom:1px solid var(--line);white-space:nowrap}th{color:var(--soft);font-weight:500}
pre{background:var(--card);padding:1rem;border-radius:8px;overflow:auto;font-size:.85rem}summary{cursor:pointer}
)";

}  // namespace orbit
