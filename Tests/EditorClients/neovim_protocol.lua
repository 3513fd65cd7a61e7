-- A session in Neovim: cancelled requests, edits of an old text, settings that are null, and a server that is rebuilt.
-- Arguments: the settings of Documentation/Editing.md, a model with one mistake, and the server's program.
local settings, file, program = arg[1], arg[2], arg[3]
dofile(settings)
vim.opt.swapfile = false

local shown = {}
for _, name in ipairs({ "notify", "notify_once" }) do
    vim[name] = function(message) table.insert(shown, message) end
end

local function check(condition, message)
    if condition then return end
    io.stderr:write(message .. "\n")
    os.exit(1)
end

local function wait(condition, message) check(vim.wait(20000, condition, 20), message) end

local function lines() return vim.api.nvim_buf_get_lines(0, 0, -1, false) end

local function client() return vim.lsp.get_clients({ bufnr = 0 })[1] end

local function codes()
    local found = {}
    for _, item in ipairs(vim.diagnostic.get(0)) do table.insert(found, item.code) end
    return table.concat(found, " ")
end

vim.cmd.edit(vim.fn.fnameescape(file))
wait(client, "no client is attached")
wait(function() return codes() == "unknown-attribute-type" end, "the mistake is not reported")
local first = client()
check(first.server_info.version ~= "", "the server does not say its version")

local row, column
for number, line in ipairs(lines()) do
    local start = line:find('"title"', 1, true)
    if start then row, column = number - 1, start end
end

local buffer = vim.api.nvim_get_current_buf()

local function parameters(more)
    return vim.tbl_extend("force", {
        textDocument = vim.lsp.util.make_text_document_params(buffer),
        position = { line = row, character = column },
    }, more or {})
end

-- Settings are null.
first:notify("workspace/didChangeConfiguration", { settings = vim.NIL })

-- Cancelled requests show no error, and the findings stay.
local answered = 0
for number = 1, 40 do
    local _, id = first:request("textDocument/hover", parameters(), function(error)
        check(not error, "a request has the error " .. vim.inspect(error))
        answered = answered + 1
    end, buffer)
    if number > 20 then first:cancel_request(id) end
end
wait(function() return answered >= 20 and next(first.requests) == nil end, "requests have no answer")
check(#shown == 0 and vim.v.errmsg == "", "shown: " .. vim.inspect(shown) .. vim.v.errmsg)
check(codes() == "unknown-attribute-type", "the findings are " .. codes())

-- An edit of an old text is not made. Neovim gives the first text the version 0, which it does not compare.
vim.api.nvim_buf_set_lines(0, row, row, false, { "" })
row = row + 1
local edit
first:request("textDocument/rename", parameters({ newName = "headline" }), function(_, result) edit = result end, buffer)
vim.api.nvim_buf_set_lines(0, row, row, false, { "" })
wait(function() return edit end, "there is no rename")
local before = lines()
vim.lsp.util.apply_workspace_edit(edit, first.offset_encoding)
check(vim.deep_equal(lines(), before), "an edit of an old text was made")
row = row + 1
edit = nil
first:request("textDocument/rename", parameters({ newName = "headline" }), function(_, result) edit = result end, buffer)
wait(function() return edit end, "there is no second rename")
vim.lsp.util.apply_workspace_edit(edit, first.offset_encoding)
check(lines()[row + 1]:find('"headline"', 1, true), "the edit of the new text was not made")

-- A new version is made by one action, and written by the editor.
vim.lsp.buf.code_action({
    apply = true, context = { only = { "refactor" }, diagnostics = {} },
    filter = function(action) return action.title == "Begin the version 'Feed 2'" end,
})
local bundle = vim.fs.dirname(vim.fs.dirname(file))
local new = bundle .. "/Feed 2.xcdatamodel/contents"
wait(function() return vim.fn.bufloaded(new) == 1 and vim.fn.bufloaded(bundle .. "/.xccurrentversion") == 1 end,
    "the new version is not opened")
vim.cmd("silent wall")
-- Neovim ends a file that it created with one more line.
check(vim.trim(table.concat(vim.fn.readfile(new), "\n")) == table.concat(lines(), "\n"), "the new version has another text")
check(table.concat(vim.fn.readfile(bundle .. "/.xccurrentversion")):find("Feed 2.xcdatamodel", 1, true),
    "the new version is not the current one")

-- A build replaces the program.
check(vim.uv.fs_utime(program, os.time() + 10, os.time() + 10), "the program has no date")
wait(function() return client() and client().id ~= first.id end, "the server was not started again")
wait(function() return client().initialized and first:is_stopped() end, "the former server goes on")
vim.diagnostic.reset(nil, 0)
vim.api.nvim_buf_set_lines(0, row, row, false, { "" })
wait(function() return codes() == "unknown-attribute-type" end, "the new server reports nothing")
print("done")
