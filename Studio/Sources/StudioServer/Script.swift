extension Assets {
    /// The script of all pages, which work without it. It completes key paths, searches related objects and lists as one
    /// types, marks rows that another program changed, and turns pages by keys.
    static let script = keys + completion + search + selection + changes + modelScript

    private static let keys = #"""
        "use strict";
        document.addEventListener("keydown", event => {
          if (event.key === "Enter" && event.ctrlKey && event.target.id === "sql") { event.target.form.requestSubmit(); return; }
          if (event.ctrlKey || event.metaKey || event.altKey) return;
          if (/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
          const relation = {n: "next", p: "prev"}[event.key];
          const link = relation && document.querySelector(`a[rel="${relation}"]`);
          if (link) link.click();
          const filter = document.getElementById("filter");
          if (event.key === "/" && filter) { event.preventDefault(); filter.focus(); filter.select(); }
        });
        // Typing into a text ends that it is nil.
        document.addEventListener("input", event => {
          const box = event.target.tagName === "TEXTAREA" && event.target.parentElement.querySelector("label.nil input");
          if (box) box.checked = false;
        });

        """#

    private static let completion = #"""
        // A list below a field: ask gives the items for what is typed, take uses the chosen one.
        const combobox = (input, id, label, ask, take) => {
          const list = document.createElement("ul");
          list.id = id;
          list.setAttribute("role", "listbox");
          list.setAttribute("aria-label", label);
          list.hidden = true;
          input.after(list);
          for (const [name, value] of [["role", "combobox"], ["aria-controls", id], ["aria-autocomplete", "list"], ["aria-expanded", "false"]])
            input.setAttribute(name, value);
          let chosen = -1, asked = 0, items = [];
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
          const accept = index => { const item = items[index]; close(); take(item); };
          input.addEventListener("input", async () => {
            const number = asked += 1;
            const found = await ask();
            if (number !== asked) return;
            items = found ?? [];
            list.replaceChildren(...items.map((found, index) => {
              const item = document.createElement("li");
              item.id = id + "-" + index;
              item.setAttribute("role", "option");
              item.textContent = found.text;
              item.addEventListener("mousedown", event => { event.preventDefault(); accept(index); });
              return item;
            }));
            if (!items.length) return close();
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
            else if ((event.key === "Enter" || event.key === "Tab") && chosen >= 0) accept(chosen);
            else return;
            event.preventDefault();
          });
          input.addEventListener("blur", close);
        };
        const answer = async (path, parameters) => {
          try {
            const answer = await fetch(path + "?" + new URLSearchParams(parameters));
            return answer.ok ? await answer.json() : null;
          } catch { return null; }
        };
        const filter = document.querySelector("input[data-entity]");
        if (filter) {
          const word = () => {
            const before = filter.value.slice(0, filter.selectionStart);
            const quotes = before.match(/["']/g);
            if (quotes && quotes.length % 2) return null;
            return before.match(/[\p{L}_][\p{L}\p{N}_.$]*$/u)?.[0] ?? null;
          };
          combobox(filter, "key-paths", "Key paths", async () => {
            const text = word();
            if (!text) return [];
            const paths = await answer("/key-paths", {entity: filter.dataset.entity, text});
            return (paths ?? []).filter(path => path !== text).map(text => ({text}));
          }, item => {
            const start = filter.selectionStart - (word()?.length ?? 0);
            filter.setRangeText(item.text, start, filter.selectionStart, "end");
          });
        }

        """#

    private static let search = #"""
        // Related objects: one is chosen in the select before the search, many in the list of boxes.
        for (const input of document.querySelectorAll("input[data-search]")) {
          const {search: entity, property, many} = input.dataset;
          const cell = input.closest("td");
          combobox(input, "choices-" + property, "Objects for " + property,
            () => input.value ? answer("/choices", {entity, text: input.value}) : [],
            item => {
              input.value = "";
              if (!many) {
                const select = cell.querySelector("select");
                let option = [...select.options].find(option => option.value === item.value);
                if (!option) { option = new Option(item.text, item.value); select.add(option); }
                select.value = item.value;
                return;
              }
              const list = cell.querySelector("[data-members]");
              const name = `member.${property}.${item.value}`;
              let box = list.querySelector(`input[name="${name}"]`);
              if (!box) {
                box = Object.assign(document.createElement("input"), {type: "checkbox", name, value: "1"});
                const label = document.createElement("label");
                label.append(box, " " + item.text);
                const line = document.createElement("li");
                line.append(label);
                list.append(line);
              }
              box.checked = true;
            });
        }
        // A list follows its search field.
        const searched = document.getElementById("search");
        if (searched) {
          let asked = 0, timer;
          searched.addEventListener("input", () => {
            clearTimeout(timer);
            const number = asked += 1;
            timer = setTimeout(async () => {
              const parameters = new URLSearchParams([...new FormData(searched.form)].filter(([, value]) => value));
              const address = "/rows?" + parameters;
              const page = await fetched(address);
              if (!page || number !== asked) return;
              const [list, links] = [page.getElementById("list"), page.getElementById("links")];
              if (!list) return;
              document.getElementById("list")?.replaceWith(list);
              document.getElementById("links")?.replaceWith(links);
              addSelectAll();
              history.replaceState(null, "", address);
            }, 120);
          });
        }
        async function fetched(address) {
          try {
            const answer = await fetch(address);
            return answer.ok ? new DOMParser().parseFromString(await answer.text(), "text/html") : null;
          } catch { return null; }
        }

        """#

    private static let selection = #"""
        // Selected rows are counted, and all are selected by the box in the head.
        const boxes = () => [...document.querySelectorAll("input[name^='row.']")].filter(box => box.type === "checkbox");
        const count = () => {
          const line = document.getElementById("selected");
          const number = boxes().filter(box => box.checked).length;
          if (line) line.textContent = number === 1 ? "1 selected row:" : `${number} selected rows:`;
        };
        const addSelectAll = () => {
          const head = document.querySelector("th.select");
          if (!head || head.querySelector("input")) return;
          head.append(Object.assign(document.createElement("input"), {type: "checkbox", id: "select-all", ariaLabel: "Select all rows"}));
        };
        addSelectAll();
        document.addEventListener("change", event => {
          if (event.target.id === "select-all") for (const box of boxes()) box.checked = event.target.checked;
          if (event.target.closest("form.bulk")) count();
        });

        """#

    private static let changes = #"""
        // Rows whose version is another one than that of the page are marked.
        const watch = async () => {
          const area = document.querySelector("[data-live]");
          const rows = area ? [...area.querySelectorAll("[data-number]")].filter(row => !row.classList.contains("gone")) : [];
          if (!rows.length || document.hidden) return;
          const numbers = rows.map(row => row.dataset.number);
          const versions = await answer("/versions", {entity: area.dataset.live, numbers: numbers.join()});
          if (!versions) return;
          const other = rows.filter(row => row.isConnected && versions[row.dataset.number] !== row.dataset.version);
          if (!other.length) return;
          const isObject = other[0].tagName !== "TR";
          const page = isObject ? null : await fetched(location.href);
          for (const row of other) mark(row, versions[row.dataset.number], page);
          const line = area.querySelector(".changes");
          const gone = other.filter(row => !(row.dataset.number in versions)).length;
          line.textContent = isObject
            ? (gone ? "Another program deleted this object." : "Another program changed this object. ")
            : `Another program changed ${other.length - gone} and deleted ${gone} of these rows.`;
          if (isObject && !gone) {
            const link = Object.assign(document.createElement("a"), {href: location.href, textContent: "Load the new values"});
            line.append(link);
          }
        };
        const mark = (row, version, page) => {
          if (row.tagName === "TR") {
            const fresh = page?.querySelector(`tr[data-number="${row.dataset.number}"]`);
            if (fresh && version) {
              const box = row.querySelector("input[type=checkbox]")?.checked;
              row.replaceChildren(...fresh.children);
              const selection = row.querySelector("input[type=checkbox]");
              if (selection) selection.checked = box;
            }
            const badge = document.createElement("small");
            badge.className = "badge";
            badge.textContent = version ? "changed" : "deleted";
            row.querySelector("th")?.append(badge);
          }
          row.classList.add(version ? "changed" : "gone");
          row.dataset.version = version ?? "";
        };
        const often = Number(document.querySelector("[data-live]")?.dataset.often ?? 2000);
        if (document.querySelector("[data-live]")) setInterval(watch, often);

        """#
}
