@_spi(Studio) import StoreBrowsing

/// The files that pages name. They are in the program, so that it is one file.
enum Assets {
    static let icon = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect x="1" y="2" width="14" height="3.4" fill="#3f6fa8"/><rect x="1" y="6.3" width="8.5" height="3.4" fill="#7fb0ea"/><rect x="10.4" y="6.3" width="4.6" height="3.4" fill="#3f6fa8"/><rect x="1" y="10.6" width="14" height="3.4" fill="#3f6fa8"/></svg>
        """

    static let stylesheet = style + StoreBrowser.diagramStylesheet

    private static let style = """
        :root{color-scheme:light dark;--ink:#1f2328;--soft:#59636e;--page:#fff;--raised:#f3f5f8;--line:#d1d9e0;--link:#0b57b8;--bad:#b3261e;--good:#1a7f37}
        @media (prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9aa5b1;--page:#0d1117;--raised:#161c24;--line:#30363d;--link:#7fb0ea;--bad:#ff8a80;--good:#3fb950}}
        *{box-sizing:border-box}
        body{margin:0;font:15px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif;color:var(--ink);background:var(--page)}
        header{display:flex;flex-wrap:wrap;gap:.4rem 1.2rem;align-items:center;padding:.6rem 1.2rem;background:var(--raised);border-bottom:1px solid var(--line)}
        header nav{display:flex;flex-wrap:wrap;gap:1rem;flex:1}
        header form{display:inline}
        .store{font-weight:600}
        .mode{font-size:.85rem;color:var(--soft)}
        .writable{color:var(--bad);font-weight:600}
        main{padding:1rem 1.2rem;outline:none}
        h1{font-size:1.35rem;margin:.2rem 0 .8rem;overflow-wrap:anywhere}
        h2{font-size:1.05rem;margin:1.4rem 0 .4rem}
        a{color:var(--link);text-underline-offset:2px}
        :focus-visible{outline:3px solid var(--link);outline-offset:2px;border-radius:2px}
        .skip{position:absolute;left:-99rem}
        .skip:focus{left:.5rem;top:.4rem;background:var(--page);padding:.3rem .6rem;z-index:2}
        .scroll{overflow:auto;max-width:100%}
        table{border-collapse:collapse;font-size:.92rem}
        th,td{padding:.3rem .7rem;border-bottom:1px solid var(--line);text-align:start;vertical-align:top;max-width:32rem;overflow-wrap:break-word}
        thead th{background:var(--raised);white-space:nowrap;position:sticky;top:0}
        tbody th{font-weight:600}
        tbody tr:hover{background:var(--raised)}
        th small{display:block;font-weight:400;color:var(--soft)}
        .number{font-variant-numeric:tabular-nums;white-space:nowrap}
        td{min-width:4rem}
        .null,.note{color:var(--soft)}
        .unexpected,.error{color:var(--bad)}
        .error{border-inline-start:4px solid var(--bad);padding-inline-start:.8rem;white-space:pre-wrap}
        .whole{white-space:pre-wrap;max-height:24rem;overflow:auto}
        .pager{display:flex;flex-wrap:wrap;gap:1rem;margin:.6rem 0}
        .filter{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center}
        .filter small{flex-basis:100%;color:var(--soft)}
        .completed{position:relative;flex:1 1 24rem;max-width:48rem}
        .completed input{width:100%}
        .completed ul{position:absolute;inset-inline:0;top:100%;margin:0;padding:.2rem 0;list-style:none;max-height:16rem;overflow:auto;background:var(--page);border:1px solid var(--line);box-shadow:0 4px 12px #0004;z-index:3}
        .completed li{padding:.15rem .6rem;cursor:pointer}
        .completed li[aria-selected=true]{background:var(--link);color:var(--page)}
        input,textarea,select,button{font:inherit;color:inherit;background:var(--page);border:1px solid var(--soft);border-radius:4px;padding:.2rem .5rem}
        button{background:var(--raised);cursor:pointer}
        button:disabled{color:var(--soft);border-color:var(--line);cursor:default}
        .edit{display:flex;flex-wrap:wrap;gap:.5rem;align-items:start}
        .edit textarea{width:24rem;max-width:100%}
        td ul{margin:.1rem 0 .4rem;padding-inline-start:1.2rem}
        li .edit{display:inline-flex;margin-inline-start:.5rem}
        li .edit button{font-size:.8rem;padding:0 .4rem}
        .deletion{margin-top:1.5rem;align-items:center}
        .deletion button{color:var(--bad);border-color:var(--bad)}
        .undo{display:flex;gap:.4rem}
        pre{background:var(--raised);padding:.8rem;overflow:auto;font-size:.85rem;border:1px solid var(--line);border-radius:4px}
        summary{cursor:pointer;padding:.3rem 0}
        .columns{columns:16rem}
        .timeline{list-style:none;padding:0 0 0 1rem;border-inline-start:3px solid var(--line);margin-inline-start:.4rem}
        .timeline>li{margin-bottom:1rem;position:relative}
        .timeline>li::before{content:"";position:absolute;inset-inline-start:-1.45rem;top:.45rem;width:.7rem;height:.7rem;border-radius:50%;background:var(--link)}
        time{font-weight:600}
        .insertion::marker,.added td{color:var(--good)}
        .deletion::marker,.removed td{color:var(--bad)}
        .map{width:100%;max-width:1100px;border:1px solid var(--line);background:var(--raised)}
        .map .grid{stroke:var(--line);fill:none}
        .map text{font-size:11px;fill:var(--soft)}
        .map circle{fill:var(--link);fill-opacity:.6;stroke:var(--page)}
        .map a:hover circle,.map a:focus circle{fill:var(--bad);fill-opacity:1}
        @media (max-width:40rem){
        header,main{padding-inline:.8rem}
        header nav{order:1;flex-basis:100%;gap:.2rem 1rem}
        th,td{padding-inline:.4rem}
        td>.edit,td>.whole{max-width:calc(100vw - 10rem);overflow-wrap:anywhere}
        td>.edit input:not([type=checkbox]){width:10rem}
        .map text{font-size:24px}
        .map circle{r:9px}
        }

        """

    /// Pages work without it. It completes key paths, and turns pages by keys.
    static let script = #"""
        "use strict";
        document.addEventListener("keydown", event => {
          if (event.ctrlKey || event.metaKey || event.altKey) return;
          if (/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
          const relation = {n: "next", p: "prev"}[event.key];
          const link = relation && document.querySelector(`a[rel="${relation}"]`);
          if (link) link.click();
          const filter = document.getElementById("filter");
          if (event.key === "/" && filter) { event.preventDefault(); filter.focus(); filter.select(); }
        });
        const input = document.querySelector("input[data-entity]");
        if (input) {
          const list = document.createElement("ul");
          list.id = "key-paths";
          list.setAttribute("role", "listbox");
          list.setAttribute("aria-label", "Key paths");
          list.hidden = true;
          input.after(list);
          for (const [name, value] of [["role", "combobox"], ["aria-controls", list.id], ["aria-autocomplete", "list"], ["aria-expanded", "false"]])
            input.setAttribute(name, value);
          let chosen = -1, asked = 0;
          const word = () => {
            const before = input.value.slice(0, input.selectionStart);
            const quotes = before.match(/["']/g);
            if (quotes && quotes.length % 2) return null;
            return before.match(/[\p{L}_][\p{L}\p{N}_.$]*$/u)?.[0] ?? null;
          };
          const close = () => {
            list.hidden = true; chosen = -1; asked += 1;
            input.setAttribute("aria-expanded", "false"); input.removeAttribute("aria-activedescendant");
          };
          const choose = index => {
            chosen = index;
            [...list.children].forEach((item, place) => item.setAttribute("aria-selected", String(place === index)));
            const item = list.children[index];
            if (item) { input.setAttribute("aria-activedescendant", item.id); item.scrollIntoView({block: "nearest"}); }
          };
          const take = text => {
            const start = input.selectionStart - (word()?.length ?? 0);
            input.setRangeText(text, start, input.selectionStart, "end");
            close();
          };
          input.addEventListener("input", async () => {
            const text = word();
            if (!text) return close();
            const number = asked += 1;
            const address = "/key-paths?" + new URLSearchParams({entity: input.dataset.entity, text});
            const answer = await fetch(address);
            if (!answer.ok || number !== asked) return;
            const paths = (await answer.json()).filter(path => path !== text);
            if (number !== asked) return;
            list.replaceChildren(...paths.map((path, index) => {
              const item = document.createElement("li");
              item.id = "key-path-" + index;
              item.setAttribute("role", "option");
              item.textContent = path;
              item.addEventListener("mousedown", event => { event.preventDefault(); take(path); });
              return item;
            }));
            if (!paths.length) return close();
            list.hidden = false;
            input.setAttribute("aria-expanded", "true");
            choose(-1);
          });
          input.addEventListener("keydown", event => {
            if (list.hidden) return;
            const count = list.children.length;
            if (event.key === "ArrowDown") choose((chosen + 1) % count);
            else if (event.key === "ArrowUp") choose((chosen + count - 1 + (chosen < 0 ? 1 : 0)) % count);
            else if (event.key === "Escape") close();
            else if ((event.key === "Enter" || event.key === "Tab") && chosen >= 0) take(list.children[chosen].textContent);
            else return;
            event.preventDefault();
          });
          input.addEventListener("blur", close);
        }
        """#
}
