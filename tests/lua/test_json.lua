local json = require("sbench.json")

local tests = {}

local function fails(text, word)
   local ok, why = pcall(json.decode, text)
   assert(not ok, "accepted: " .. text)
   assert(tostring(why):find(word, 1, true), why)
end

function tests.values_come_back()
   local value = json.decode(
      [[ {"a": [1, -2.5, 1e3, true, false, null], "b": {"c": "x"}, "d": ""} ]])
   assert(value.a[1] == 1 and value.a[2] == -2.5 and value.a[3] == 1000)
   assert(value.a[4] == true and value.a[5] == false and value.a[6] == json.null)
   assert(value.b.c == "x" and value.d == "")
end

function tests.strings_with_escapes()
   assert(json.decode([["a\"\\\/\n\t\u0041\u00e4\u20ac\ud83d\ude00"]]) == 'a"\\/\n\tAä€😀')
   local text = 'a"\\\n\r\t\1 ä€😀'
   assert(json.decode(json.encode(text)) == text)
end

function tests.integers_keep_their_digits()
   for _, n in ipairs({0, -1, 2 ^ 31, 2 ^ 53 - 1, 1234567890123456}) do
      assert(json.encode(n) == string.format("%.0f", n))
      assert(json.decode(json.encode(n)) == n)
   end
   for _, x in ipairs({0.1, 1 / 3, 1e300, -2.5e-8}) do assert(json.decode(json.encode(x)) == x) end
end

function tests.what_is_no_number_is_null()
   assert(json.encode(0 / 0) == "null" and json.encode(math.huge) == "null")
end

function tests.empty_tables()
   assert(json.encode({}) == "{}")
   assert(json.encode(json.array({})) == "[]")
   assert(json.encode(json.decode("[]")) == "[]")
   assert(next(json.decode("{}")) == nil)
end

function tests.same_value_same_text()
   local text = json.encode({b = 1, a = {3, 2}, c = {x = true}})
   assert(text == json.encode(json.decode(text)))
   assert(text:find('"a": [3, 2]', 1, true) < text:find('"b"', 1, true))
end

function tests.broken_texts_are_refused()
   fails('{"a": 1', "expected , or }")
   fails("[1 2]", "expected , or ]")
   fails("{a: 1}", "expected a name")
   fails('{"a" 1}', "expected :")
   fails('"abc', "string without an end")
   fails('"\\x"', "bad escape")
   fails('"\\u12"', "bad \\u escape")
   fails("nul", "unknown word")
   fails("1 2", "after the end")
   fails("", "unknown word")
   fails("{\n\n\"a\": nope}", "line 3")
end

function tests.nothing_is_left_out_silently()
   local wrong = {{1, a = 2}, {[5] = 1}, {a = 1, [2] = 2}, {1, nil, 3}, json.array({a = 1})}
   for _, value in ipairs(wrong) do
      local ok, why = pcall(json.encode, value)
      assert(not ok and tostring(why):find("with the key", 1, true), why)
   end
   assert(not pcall(json.decode) and not pcall(json.decode, {}))
end

function tests.functions_cannot_be_written()
   assert(not pcall(json.encode, {x = print}))
end

return tests
