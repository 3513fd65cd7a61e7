import ModelDiagram

extension Assets {
    static let modelStyle = """
        main.model{padding:.4rem .8rem}
        main.model h1{display:inline-block;font-size:1.1rem;margin:.1rem 1rem .1rem 0}
        .tools{display:inline-flex;flex-wrap:wrap;gap:.3rem .8rem;align-items:center}
        .tools form{display:inline}
        .desk{display:grid;grid-template-columns:minmax(0,1fr) 25rem;gap:.6rem;height:calc(100vh - 7rem);min-height:24rem;margin-top:.4rem}
        .canvas-area{overflow:auto;border:1px solid var(--line);border-radius:4px;contain:strict}
        .canvas-area svg{display:block;touch-action:none;user-select:none}
        .panning{cursor:grabbing}
        #panel{overflow:auto;border:1px solid var(--line);border-radius:4px;padding:.2rem .8rem 2rem}
        #panel h2{margin:.4rem 0}
        #panel h3{font-size:.95rem;margin:1rem 0 .2rem}
        .close{float:inline-end;margin:.4rem 0}
        .part{border-bottom:1px solid var(--line)}
        .part>summary,.new>summary{overflow-wrap:anywhere}
        .new>summary{color:var(--link)}
        .fields{margin:.3rem 0 .6rem}
        .field{display:grid;grid-template-columns:8.5rem minmax(0,1fr);gap:.1rem .5rem;align-items:center;margin:.25rem 0}
        .field .notes,.field>small{grid-column:2}
        .field input[type=checkbox]{justify-self:start}
        .field label{overflow-wrap:anywhere;font-size:.9rem}
        .finding,.field .error{margin:.15rem 0;font-size:.85rem;border-inline-start:3px solid var(--soft);padding-inline-start:.5rem}
        .fix{display:block;margin:.2rem 0;text-align:start;overflow-wrap:anywhere}
        .finding.error,.field .error{border-color:var(--bad)}
        .finding.warning{border-color:#9a6700;color:#9a6700}
        .count.warning{color:#9a6700}
        .count.error{color:var(--bad)}
        .pair{display:flex;gap:.4rem;margin:.4rem 0}
        .pair input{flex:1;min-width:4rem}
        .removal button{color:var(--bad);border-color:var(--bad)}
        .versions,.boxes{list-style:none;padding:0}
        .versions li{margin:.3rem 0}
        .versions li[aria-current]{font-weight:600}
        .inline{display:inline}
        .member{display:block}
        #panel pre{font-size:.78rem;white-space:pre-wrap}
        #review .added{color:var(--good)}
        #review .removed{color:var(--bad)}
        .proof{border-inline-start:4px solid var(--good);padding-inline-start:.8rem}
        @media (prefers-color-scheme:dark){.finding.warning,.count.warning{border-color:#d29922;color:#d29922}}
        @media (max-width:60rem){.desk{grid-template-columns:minmax(0,1fr);height:auto}.canvas-area{height:60vh}}

        """ + DiagramCanvas.stylesheet

    /// The script of the model's page, which works without it, too.
    static let modelScript = modelPage + modelDiagram + modelKeys

    private static let modelPage = #"""
        if (document.querySelector(".desk")) (() => {
        const part = (selector, root = document) => root.querySelector(selector);
        const desk = part(".desk"), canvas = part("#canvas"), panel = part("#panel");
        const picture = () => part("svg.canvas", canvas);
        let zoom = 1, busy = null, sending = 0;
        const scale = value => {
          const svg = picture(), width = Number(svg.getAttribute("width")), height = Number(svg.getAttribute("height"));
          zoom = Math.min(3, Math.max(.1, value));
          svg.style.width = width * zoom + "px"; svg.style.height = height * zoom + "px";
        };
        // Zooms, and keeps the point below the pointer.
        const zoomAt = (value, x = canvas.clientWidth / 2, y = canvas.clientHeight / 2) => {
          const [left, top] = [(canvas.scrollLeft + x) / zoom, (canvas.scrollTop + y) / zoom];
          scale(value);
          canvas.scrollLeft = left * zoom - x; canvas.scrollTop = top * zoom - y;
        };
        const fit = () => {
          const svg = picture();
          zoomAt(Math.min(canvas.clientWidth / svg.getAttribute("width"), canvas.clientHeight / svg.getAttribute("height"), 1));
        };
        const link = name => [...canvas.querySelectorAll("a[data-box]")].find(box => box.dataset.box === name);
        const show = name => {
          const box = link(name);
          if (!box) return;
          const area = box.getBoundingClientRect(), frame = canvas.getBoundingClientRect();
          if (area.left < frame.left || area.right > frame.right || area.top < frame.top || area.bottom > frame.bottom) {
            canvas.scrollLeft += area.left - frame.left - (frame.width - area.width) / 2;
            canvas.scrollTop += area.top - frame.top - Math.max(20, (frame.height - area.height) / 2);
          }
        };
        // Puts the parts of another page into this one, and leaves the rest, such as the place in the diagram.
        const swap = (page, keepsPanel = false) => {
          const fresh = part(".desk", page);
          // The browser would complain of a second autofocus in one document: the script moves the focus.
          for (const field of page.querySelectorAll("[autofocus]")) { field.removeAttribute("autofocus"); field.dataset.focus = ""; }
          if (!fresh) { part("main").replaceWith(part("main", page)); return; }
          const active = document.activeElement, focused = active?.id, focusedBox = active?.closest?.("a[data-box]")?.dataset.box;
          const isInPanel = panel.contains(active), undoing = active?.closest?.(".undo form")?.getAttribute("action");
          const sameBox = part("#panel", page).ariaLabel === panel.ariaLabel;
          const open = new Set([...panel.querySelectorAll("details[open]")].map(item => item.dataset.key));
          const closed = new Set([...panel.querySelectorAll("details:not([open])")].map(item => item.dataset.key));
          picture().replaceWith(part("svg.canvas", page));
          if (!keepsPanel) {
            panel.replaceChildren(...part("#panel", page).childNodes);
            panel.ariaLabel = part("#panel", page).ariaLabel;
            if (sameBox) for (const item of panel.querySelectorAll("details")) if (open.has(item.dataset.key) && !item.classList.contains("new")) item.open = true;
            if (open.has("review")) for (const item of panel.querySelectorAll("details[data-key=review]")) item.open = true;
          }
          for (const selector of ["#tools", "header .undo", "h1"]) {
            const [old, found] = [part(selector), part(selector, page)];
            if (old && found) old.replaceWith(found);
          }
          desk.dataset.state = fresh.dataset.state;
          if (fresh.dataset.token) desk.dataset.token = fresh.dataset.token; else delete desk.dataset.token;
          document.title = page.title;
          scale(zoom);
          addTools();
          if (focused) document.getElementById(focused)?.focus({preventScroll: true});
          if (focusedBox) link(focusedBox)?.focus({preventScroll: true});
          if (undoing) (part(`.undo form[action="${undoing}"] button:enabled`) ?? part(".undo button:enabled"))?.focus({preventScroll: true});
          if (isInPanel && !panel.contains(document.activeElement)) part("h2", panel)?.focus({preventScroll: true});
          part("[role=alert]", panel)?.scrollIntoView({block: "nearest"});
        };
        const ask = async (address, options, keepsPanel) => {
          const own = busy = {};
          if (options) sending += 1;
          try {
            const answer = await fetch(address, options);
            const page = new DOMParser().parseFromString(await answer.text(), "text/html");
            if (busy !== own && !options) return null;
            swap(page, keepsPanel?.());
            return answer;
          } catch { location.assign(location.href); return null; } finally { if (options) sending -= 1; }
        };
        const visit = async address => {
          const answer = await ask(address);
          if (!answer) return;
          history.pushState(null, "", address);
          const chosen = part(".chosen", canvas);
          if (chosen) show(chosen.dataset.box);
          part("[data-focus]", panel)?.focus();
        };
        const send = async (address, fields) => {
          const answer = await ask(address, {method: "POST", body: new URLSearchParams(fields)});
          if (answer?.redirected) history.replaceState(null, "", answer.url);
          part("[aria-invalid=true],[data-focus]", panel)?.focus();
        };
        const isOwn = address => new URL(address, location).pathname === "/model" || new URL(address, location).pathname === "/" && !part("a[href='/sql']");
        document.addEventListener("submit", event => {
          const form = event.target, path = new URL(form.getAttribute("action"), location).pathname;
          if (form.getAttribute("method") === "get" && path === "/model") { event.preventDefault(); visit("/model?" + new URLSearchParams(new FormData(form))); }
          if (form.getAttribute("method") === "post" && path.startsWith("/model-")) { event.preventDefault(); send(path, new FormData(form, event.submitter)); }
        });
        document.addEventListener("click", event => {
          const target = event.target.closest("a[href]");
          if (!target || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
          const address = target.getAttribute("href");
          if (!target.closest(".desk, #tools") || !isOwn(address)) return;
          event.preventDefault();
          // Keys go on where they lead to: from a box to its panel, and back.
          const isKey = event.detail === 0, isBox = "box" in target.dataset, from = panel.ariaLabel;
          visit(address).then(() => {
            if (isKey && isBox) part("h2", panel)?.focus();
            if (isKey && target.closest(".close")) link(from)?.focus({preventScroll: true});
          });
        });
        addEventListener("popstate", () => ask(location.href));
        const addTools = () => {
          for (const [text, label, action] of [["−", "Zoom out", () => zoomAt(zoom / 1.25)], ["+", "Zoom in", () => zoomAt(zoom * 1.25)], ["Fit", "Fit the diagram", fit]]) {
            const button = Object.assign(document.createElement("button"), {type: "button", textContent: text, ariaLabel: label});
            button.addEventListener("click", action);
            part("#tools").append(button);
          }
        };
        addTools();
        const hasTyped = () => [...panel.querySelectorAll("input:not([type=hidden]),textarea,select")].some(field =>
          field.type === "checkbox" ? field.checked !== field.defaultChecked
          : field.tagName === "SELECT" ? [...field.options].some(option => option.selected !== option.defaultSelected) && field.selectedIndex > 0
          : field.value !== field.defaultValue);
        // Edits of other programs: the diagram follows, and the panel, unless something is typed in it.
        setInterval(async () => {
          if (document.hidden || dragged || moved || sending) return;
          const before = desk.dataset.state, found = await answer("/model-state", {});
          if (!found || found.state === before || desk.dataset.state !== before || dragged || moved || sending) return;
          // A person may type until the answer is there.
          let keeps = false;
          const page = await ask(location.href, undefined, () => keeps = hasTyped());
          if (!page || !keeps || part("#changed")) return;
          panel.prepend(Object.assign(document.createElement("p"), {id: "changed", className: "notice", role: "status", textContent: "Another program changed the model."}));
        }, Number(desk.dataset.often ?? 2000));
        // The changes of the version are looked up while they are shown.
        document.addEventListener("toggle", async event => {
          if (event.target.dataset?.key !== "review" || !event.target.open) return;
          const area = part("[data-version]", event.target), page = await fetched("/model-review?" + new URLSearchParams({version: area.dataset.version}));
          const review = page && part("#review", page);
          if (review) area.replaceChildren(...[...review.childNodes].slice(1));
        }, true);

        """#

    private static let modelDiagram = #"""
        let dragged = null, moved = null, saving;
        const area = box => ({x: Number(box.dataset.x), y: Number(box.dataset.y), width: Number(box.dataset.width), height: Number(box.dataset.height)});
        // The formula of DiagramCanvas.
        const curve = (from, fromHeight, to, toHeight) => {
          const right = from.x + from.width + 40 <= to.x, left = to.x + to.width + 40 <= from.x;
          const start = {x: left ? from.x : from.x + from.width, y: from.y + fromHeight, direction: left ? -1 : 1};
          const end = {x: right ? to.x : to.x + to.width, y: to.y + toHeight, direction: right ? -1 : 1};
          const reach = right || left ? Math.max(40, Math.trunc(Math.abs(end.x - start.x) / 2)) : 70;
          const outer = Math.max(start.x, end.x) + reach;
          const [first, second] = right || left ? [start.x + reach * start.direction, end.x + reach * end.direction] : [outer, outer];
          return {path: `M${start.x} ${start.y}C${first} ${start.y} ${second} ${end.y} ${end.x} ${end.y}`, ends: [start, end]};
        };
        const place = (box, x, y) => {
          box.dataset.x = x; box.dataset.y = y;
          box.firstElementChild.setAttribute("transform", `translate(${x} ${y})`);
        };
        const linesOf = name => [...picture().querySelectorAll("g.line")].filter(line => line.dataset.from === name || line.dataset.to === name)
          .map(line => ({line, paths: [...line.querySelectorAll(":scope > path")], ends: [...line.querySelectorAll(".end")], from: link(line.dataset.from), to: link(line.dataset.to)}));
        const draw = ({line, paths, ends, from, to}) => {
          const drawn = curve(area(from), Number(line.dataset.fromY), area(to), Number(line.dataset.toY));
          for (const path of paths) path.setAttribute("d", drawn.path);
          ends.forEach((end, index) => {
            const {x, y, direction} = drawn.ends[index];
            end.setAttribute("transform", `translate(${x} ${y}) scale(${direction} 1)`);
          });
        };
        const grow = box => {
          const svg = picture(), {x, y, width, height} = area(box);
          const sides = [Math.max(Number(svg.getAttribute("width")), x + width + 90), Math.max(Number(svg.getAttribute("height")), y + height + 60)];
          if (sides[0] === Number(svg.getAttribute("width")) && sides[1] === Number(svg.getAttribute("height"))) return;
          svg.setAttribute("width", sides[0]); svg.setAttribute("height", sides[1]);
          svg.setAttribute("viewBox", `0 0 ${sides[0]} ${sides[1]}`);
          scale(zoom);
        };
        const point = event => {
          const frame = picture().getBoundingClientRect();
          return {x: (event.clientX - frame.left) / zoom, y: (event.clientY - frame.top) / zoom};
        };
        const savePlaces = boxes => send("/model-move", [["form-token", desk.dataset.token],
          ...new URLSearchParams(location.search), ...boxes.map(box => ["place." + box.dataset.box, box.dataset.x + "," + box.dataset.y])]);
        canvas.addEventListener("dragstart", event => event.preventDefault());
        canvas.addEventListener("pointerdown", event => {
          if (event.button) return;
          const box = event.target.closest("a[data-box]");
          if (box && !desk.dataset.token) return;
          if (box && event.target.classList.contains("handle")) {
            const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
            line.setAttribute("class", "drawn");
            picture().append(line);
            dragged = {kind: "relationship", box, line};
          } else if (box) {
            const start = point(event);
            dragged = {kind: "box", box, lines: linesOf(box.dataset.box), grip: {x: start.x - box.dataset.x, y: start.y - box.dataset.y}, from: event};
          } else if (event.target.closest("svg")) {
            dragged = {kind: "area", x: event.clientX + canvas.scrollLeft, y: event.clientY + canvas.scrollTop};
            canvas.classList.add("panning");
          }
          if (dragged) canvas.setPointerCapture(event.pointerId);
        });
        let frame = 0, last = null;
        canvas.addEventListener("pointermove", event => {
          if (!dragged) return;
          last = event;
          if (!frame) frame = requestAnimationFrame(step);
        });
        const step = () => {
          frame = 0;
          if (!dragged || !last) return;
          const event = last;
          if (dragged.kind === "area") { canvas.scrollLeft = dragged.x - event.clientX; canvas.scrollTop = dragged.y - event.clientY; return; }
          const now = point(event);
          if (dragged.kind === "box") {
            if (!dragged.isMoved && Math.hypot(event.clientX - dragged.from.clientX, event.clientY - dragged.from.clientY) < 4) return;
            dragged.isMoved = true;
            place(dragged.box, Math.max(0, Math.round(now.x - dragged.grip.x)), Math.max(0, Math.round(now.y - dragged.grip.y)));
            dragged.lines.forEach(draw);
            grow(dragged.box);
            return;
          }
          const start = area(dragged.box);
          dragged.line.setAttribute("d", `M${start.x + start.width} ${start.y + 15}L${now.x} ${now.y}`);
          const target = document.elementFromPoint(event.clientX, event.clientY)?.closest("a[data-entity]");
          dragged.target?.classList.remove("target");
          target?.classList.add("target");
          dragged.target = target;
        };
        canvas.addEventListener("pointerup", event => {
          if (!dragged) return;
          last = event;
          step();
          const done = dragged;
          dragged = null;
          canvas.classList.remove("panning");
          if (done.kind === "area") return;
          if (done.kind === "box") {
            if (done.isMoved) savePlaces([done.box]); else visit(done.box.getAttribute("href"));
            return;
          }
          done.line.remove();
          done.target?.classList.remove("target");
          if (!done.target) return;
          const address = new URLSearchParams(location.search);
          address.set("entity", done.box.dataset.box); address.set("destination", done.target.dataset.box);
          address.delete("property");
          visit("/model?" + address).then(() => part("#new-relationship-name")?.focus());
        });
        canvas.addEventListener("pointercancel", () => { dragged?.line?.remove(); dragged = null; canvas.classList.remove("panning"); });
        // The capture sends the click of a pointer to the area, so that only that of a key arrives at a link.
        canvas.addEventListener("wheel", event => {
          if (!event.ctrlKey && !event.metaKey) return;
          event.preventDefault();
          const frame = canvas.getBoundingClientRect();
          zoomAt(zoom * Math.exp(-event.deltaY / 300), event.clientX - frame.left, event.clientY - frame.top);
        }, {passive: false});

        """#

    private static let modelKeys = #"""
        document.addEventListener("input", event => {
          if (event.target.id !== "model-search") return;
          const text = event.target.value.toLowerCase();
          for (const box of canvas.querySelectorAll("a[data-box]")) {
            const isFound = text && (box.textContent.toLowerCase().includes(text));
            box.classList.toggle("found", Boolean(isFound));
            box.classList.toggle("other", Boolean(text) && !isFound);
          }
          const found = [...canvas.querySelectorAll("a.found")].sort((a, b) => b.dataset.box.toLowerCase().startsWith(text) - a.dataset.box.toLowerCase().startsWith(text))[0];
          if (found) show(found.dataset.box);
        });
        document.addEventListener("keydown", event => {
          const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
          const command = event.ctrlKey || event.metaKey;
          if (event.target.id === "model-search" && event.key === "Enter") {
            const found = [...canvas.querySelectorAll("a.found")].sort((a, b) => b.dataset.box.toLowerCase().startsWith(event.target.value.toLowerCase()) - a.dataset.box.toLowerCase().startsWith(event.target.value.toLowerCase()))[0];
            if (found) { event.preventDefault(); visit(found.getAttribute("href")).then(() => part("h2", panel)?.focus()); }
            return;
          }
          const key = event.key.toLowerCase();
          // Out of a field, so that the keys mean the diagram again.
          if (isTyping && key === "escape" && panel.contains(event.target)) { event.preventDefault(); (part("h2", panel) ?? canvas).focus(); return; }
          if (isTyping) return;
          if (command && (key === "z" || key === "y")) {
            event.preventDefault();
            part(`form[action="/model-${key === "y" || event.shiftKey ? "redo" : "undo"}"] button:enabled`)?.click();
            return;
          }
          if (command || event.altKey) return;
          if (key === "/") { event.preventDefault(); part("#model-search").focus(); return; }
          if (key === "e") { event.preventDefault(); part("#new-entity")?.click(); return; }
          if (key === "+" || key === "=") zoomAt(zoom * 1.25);
          if (key === "-") zoomAt(zoom / 1.25);
          if (key === "0") fit();
          if (key === "escape") {
            if (dragged) { dragged.line?.remove(); dragged = null; return; }
            part(".close a", panel)?.click();
          }
          const box = document.activeElement?.closest?.("a[data-box]");
          const direction = {arrowleft: [-1, 0], arrowright: [1, 0], arrowup: [0, -1], arrowdown: [0, 1]}[key];
          if (!box || !direction || !desk.dataset.token) return;
          event.preventDefault();
          const size = event.shiftKey ? 1 : 10, start = area(box);
          place(box, Math.max(0, start.x + direction[0] * size), Math.max(0, start.y + direction[1] * size));
          linesOf(box.dataset.box).forEach(draw);
          grow(box);
          moved = box;
          clearTimeout(saving);
        });
        document.addEventListener("keyup", event => {
          if (!moved || !event.key.startsWith("Arrow")) return;
          // Several presses are one move.
          clearTimeout(saving);
          saving = setTimeout(() => {
            savePlaces([moved]);
            moved = null;
          }, 300);
        });
        const chosen = part(".chosen", canvas);
        if (chosen) show(chosen.dataset.box);
        })();
        """#
}
